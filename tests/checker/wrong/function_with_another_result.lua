local f: (number) -> number = function(n: number): string return "x" end --! E0001
