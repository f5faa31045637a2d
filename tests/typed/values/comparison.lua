type Point = {x: number, y: number}
type Point3 = {x: number, y: number, z: number}
type Same = {y: number, x: number}
type Whole = {x: integer, y: integer}
type Maybe = {x: number, y?: number}
type Status = "on" | "off"
type Checked = number @min(0)
type Reader = (number) -> integer
type Writer = (integer) -> number

assert(Number == Number and Number ~= String and Integer <= Number and Integer < Number and not (Number < Number))
assert(not (Number <= Integer) and String <= String)
assert(Point3 < Point and Point == Same and Whole < Point and Point < Maybe)
assert(Status < String and not (String <= Status) and Checked <= Number and Reader < Writer)
assert(not pcall(function() return Point < 1 end) and Point ~= 1)
local handlers = { [Number] = "number", [String] = "string" }
assert(handlers[typeof(5)] == "number" and handlers[typeof("x")] == "string" and handlers[number] == "number")
