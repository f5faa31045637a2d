local n: number = 1
local s: string = n * 2 --! E0001
