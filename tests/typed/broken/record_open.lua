type P = {x: number,
local y = 1
