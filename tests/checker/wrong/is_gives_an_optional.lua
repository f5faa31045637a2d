type Point = {x: number, y: number}
local function first(data: any): number
    local point, err = Point:is(data)
    return point.x --! E0002
end
