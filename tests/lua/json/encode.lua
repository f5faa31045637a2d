local json = require("json")
local check = require("check")

local function main()
  check.eq("null", json.encode(nil))
  check.eq("[]", json.encode({}))
  check.eq('{"a":1,"b":[1,2,3]}', json.encode({ b = { 1, 2, 3 }, a = 1 }))
  check.eq("3", json.encode(3.0))
  check.eq("-3", json.encode(-3.0))
  check.eq("0.1", json.encode(0.1))
  check.eq(2 ^ 63, json.decode(json.encode(2 ^ 63)))
  check.eq('"\\u0000\\u001f\127"', json.encode("\0\31\127"))
  check.eq('{"a":[1]}', json.encode(table.freeze({ a = table.freeze({ 1 }) })))

  -- An object that was read and then filled or emptied is what it is now.
  local object = json.decode('{"a":{"b":1}}')
  object.a.b = nil
  check.eq('{"a":[]}', json.encode(object))
  local empty = json.decode("{}")
  empty[1] = "x"
  check.eq('["x"]', json.encode(empty))
  check.eq('"oops"', json.encode(errors.new("oops")))
end

return { main = main }
