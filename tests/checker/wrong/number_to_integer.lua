local half: number = 0.5
local whole: integer = half --! E0001
