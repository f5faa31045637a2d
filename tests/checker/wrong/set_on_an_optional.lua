type Point = {x: number}
local function move(point: Point?)
    point.x = 1 --! E0002
end
