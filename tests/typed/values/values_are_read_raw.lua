type Point = {x: number}
local trap = setmetatable({}, { __index = function() error("read") end, __pairs = error, __len = error })
says(select(2, Point:is(trap)), "`x`: expected number, got nil")
assert(Point:is(table.freeze({ x = 1 })))
for _, rows in ipairs({ {}, { 1 }, { {} }, { { "array" } }, { { "alias", "x", 1 } }, { { "union", 1 } }, { { "record", { 1 } } } }) do
  pcall(function() local made = __typed(rows)(1) return made:is({}), made:kind(), tostring(made), made == made, made:fields()() end)
end
assert(not pcall(__typed, 1))
