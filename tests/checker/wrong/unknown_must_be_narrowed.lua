local u: unknown = 1
local n: number = u --! E0001
