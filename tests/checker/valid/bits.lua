local n: integer = 1 << 4 | 3 & ~0
local m: integer = 7 // 2 % 2
local half: number = 7 / 2
