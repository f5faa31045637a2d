local twice: (number, number) -> number = function(a: number, b: number): number return a + b end
twice(1) --! E0004
