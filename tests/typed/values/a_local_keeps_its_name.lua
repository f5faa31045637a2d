local Point = { origin = 1 }
type Point = {x: number}
function Point.new(x: number): Point return { x = x } end
assert(Point.origin == 1 and Point.new(2).x == 2)
