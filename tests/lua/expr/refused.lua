local expr = require("expr")
local check = require("check")

local function main()
  check.fails(errors.INVALID, "cannot be empty", expr.eval(""))
  check.fails(errors.INVALID, "cannot be empty", expr.compile(""))
  check.fails(errors.INTERNAL, "unexpected `syntax` at 1:9", expr.eval("invalid syntax !!!"))
  check.fails(errors.INTERNAL, "unexpected end", expr.compile("((("))
  check.fails(errors.INTERNAL, "unknown function `now`", expr.eval("now()"))
  check.fails(errors.INTERNAL, "unknown name `y`", expr.compile("x + y", { x = 1 }))
  check.fails(errors.INTERNAL, "`+` needs numbers, not int and nil", expr.compile("x + y"):run({ x = 10 }))
  check.fails(errors.INTERNAL, "UTF-8", expr.eval("\255"))
  check.fails(errors.INTERNAL, "too many steps", expr.eval("map(1..1000, len(filter(1..1000, # > 0)))"))
  check.fails(errors.INTERNAL, "too much data", expr.eval("1..100000000"))
  check.fails(errors.INTERNAL, "nested deeper", expr.eval(string.rep("(", 500) .. "1" .. string.rep(")", 500)))
  check.fails(errors.INTERNAL, "no methods", expr.eval("x.upper()", { x = "a" }))
  check.fails(errors.INTERNAL, "cannot fetch `__class__` from string", expr.eval("x.__class__", { x = "a" }))

  check.raises("must be a string, got number", expr.eval, 1)
  check.raises("must be a string, got nil", expr.compile)
  check.raises("must be a table, got string", expr.eval, "1", "x")
  check.raises("as a method", expr.compile("1").run)
  check.fails(errors.INVALID, "can not cross", expr.eval("f", { f = print }))
end

return { main = main }
