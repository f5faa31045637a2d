type Point = {readonly x: number, y: number}
local p: Point = {x = 1, y = 2}
p.y = 3
p.x = 4 --! E0008
