type Point = {x: number}
local kinds = {point = Point}
local handlers = {}
handlers[Point] = function() end
print(Point:kind(), Point:name(), Point == Point, kinds.point, tostring(Point))
for name, field in Point:fields() do
    print(name, field:kind())
end
local given: any = Point
