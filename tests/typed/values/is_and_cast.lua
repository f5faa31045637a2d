type Point = {x: number, y: number}
type Config = {host: string, port?: integer}

local point, err = Point:is({ x = 1, y = 2 })
assert(point.x == 1 and err == nil)
local given = { x = 1, y = 2, extra = true }
assert(Point:is(given) == given, "a value passes as it is")
assert(Point(given) == given)

local bad, why = Point:is({ x = 1 })
assert(bad == nil and why:kind() == errors.INVALID)
says(why, "`y`: expected number, got nil")
says(select(2, Point:is("text")), 'expected Point, got "text"')
says(select(2, Config:is({ host = "h", port = 1.5 })), "`port`: expected integer, got the number 1.5")
assert(Config:is({ host = "h" }))

local ok, raised = pcall(Point, { x = "1", y = 2 })
assert(not ok and type(raised) == "userdata" and raised:kind() == errors.INVALID)
says(raised, '`x`: expected number, got "1"')
