type Point = {x: number, y: number}
local function f(data: any): (number?, error?)
    local p, err = Point:is(data)
    if p then
        return p.x + p.y, nil
    end
    return nil, err
end
local function g(data: unknown): number
    if Point:is(data) then
        local p: Point = data
        return p.x
    end
    return Point(data).y
end
