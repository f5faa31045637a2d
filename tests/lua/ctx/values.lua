local ctx = require("ctx")
local check = require("check")

local function main()
  check.eq("r-1", ctx.get("request_id"))
  check.eq({ request_id = "r-1", nested = { list = { 1, 2 } } }, ctx.all())
  local nested = ctx.get("nested")
  nested.list[1] = "changed"
  ctx.all().request_id = "changed"
  check.eq({ list = { 1, 2 } }, ctx.get("nested"))
  check.eq("r-1", ctx.get("request_id"))
  check.fails(errors.NOT_FOUND, "key not found: nope", ctx.get("nope"))
  check.fails(errors.INVALID, "empty key", ctx.get(""))
  check.raises("name of a value", ctx.get, nil)
end

return { main = main }
