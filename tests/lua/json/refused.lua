local json = require("json")
local check = require("check")

local function encode_fails(part, value)
  check.fails(errors.INTERNAL, part, json.encode(value))
end

local function main()
  encode_fails("holes", { 1, nil, 3 })
  encode_fails("holes", { list = { [1] = "a", [3] = "c" } })
  encode_fails("at `$.list`", { list = { [1] = "a", [3] = "c" } })
  encode_fails("both list items and named fields", { 1, 2, x = 3 })
  encode_fails("key of type number", { [1.5] = 1 })
  encode_fails("number at $.a.b is NaN or infinite", { a = { b = 0 / 0 } })
  encode_fails("number at $[2] is NaN or infinite", { 1, -1 / 0 })
  encode_fails("string at $.s is not valid UTF-8", { s = "\255" })
  encode_fails("a function can not cross at `$.f`", { f = print })
  local cycle = {}
  cycle.inner = { cycle }
  encode_fails("contains itself", cycle)
  local deep = {}
  for _ = 1, 100 do
    deep = { deep }
  end
  encode_fails("nested", deep)

  local function decode_fails(kind, part, text)
    check.fails(kind, part, json.decode(text))
  end
  decode_fails(errors.INVALID, "empty", "")
  decode_fails(errors.INVALID, "string", 42)
  decode_fails(errors.INVALID, "string", nil)
  decode_fails(errors.INTERNAL, "line 1 column 1", "not json")
  decode_fails(errors.INTERNAL, "line 2 column 3", '{"a":1,\n  b:2}')
  decode_fails(errors.INTERNAL, "`NaN` is not JSON", "[NaN]")
  decode_fails(errors.INTERNAL, "`Infinity` is not JSON", "Infinity")
  decode_fails(errors.INTERNAL, "integer at $.a[2] does not fit", '{"a":[1,9223372036854775808]}')
  decode_fails(errors.INTERNAL, "at $ is too large", "1e999")
  decode_fails(errors.INTERNAL, "lone surrogate", '{"x":"\\ud800"}')
  decode_fails(errors.INTERNAL, "lone surrogate", '{"\\udfff":1}')
  decode_fails(errors.INTERNAL, "UTF-8", '"\255"')
  decode_fails(errors.INTERNAL, "deeper", string.rep("[", 61) .. string.rep("]", 61))
  decode_fails(errors.INTERNAL, "deeper", string.rep("[", 100000))
  decode_fails(errors.INTERNAL, "more than 200000", "[" .. string.rep("0,", 200000) .. "0]")
  decode_fails(errors.INTERNAL, "invalid JSON", string.rep("9", 5000))
end

return { main = main }
