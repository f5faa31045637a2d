local expr = require("expr")
local check = require("check")

local function main()
  check.eq(7, expr.eval("1 + 2 * 3"))
  check.eq(30, expr.eval("x + y", { x = 10, y = 20 }))
  check.eq("hello world", expr.eval('"hello" + " " + "world"'))
  check.eq("positive", expr.eval('x > 0 ? "positive" : "negative"', { x = 5 }))
  check.eq(5, expr.eval("max(1, 5, 3)"))
  check.eq(true, expr.eval('"admin" in roles', { roles = { "user", "admin" } }))
  check.eq({ 2, 4 }, expr.eval("filter(list, # % 2 == 0)", { list = { 1, 2, 3, 4 } }))
  check.eq({ a = { 1, 2 } }, expr.eval("{a: [1, 2]}"))
  check.eq("integer", math.type(expr.eval("1 + 1")))
  check.eq("float", math.type(expr.eval("6 / 2")))

  local value, err = expr.eval("nil")
  check.eq(nil, value)
  check.eq(nil, err)

  -- An empty table is a map as well as a list, and so is the environment.
  check.eq(nil, expr.eval("meta.x", { meta = {} }))
  check.eq(0, expr.eval("len(meta)", { meta = {} }))
  check.eq(1, expr.eval("1", {}))

  local program = expr.compile("price * (1 - rate)")
  check.eq(90.0, program:run({ price = 100, rate = 0.1 }))
  check.eq(170.0, program:run({ price = 200, rate = 0.15 }))
  check.eq(4, expr.compile("2 + 2"):run())
  check.eq(100, expr.compile("value * 2", { value = 0 }):run({ value = 50 }))
  check.eq("function", type(program.run))
end

return { main = main }
