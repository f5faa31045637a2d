local f: (number) -> number = function(a: number, b: number): number return a + b end --! E0001
