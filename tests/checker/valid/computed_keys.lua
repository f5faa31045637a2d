local name = "x"
local map: {[string]: number} = {[name] = 1, [name .. "y"] = 2}
type Point = {x: number, y: number}
local p: Point = {x = 1, y = 2}
local key = "x"
local n: number = p[key] + map[name]
