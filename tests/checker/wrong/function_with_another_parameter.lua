local f: (number) -> number = function(s: string): number return #s end --! E0001
