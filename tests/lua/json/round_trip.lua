local json = require("json")
local check = require("check")

local function main()
  for _, text in ipairs({
    "null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "3.25", "1e+300",
    '""', '"h\u{e9}\\n\\"\\\\/"', "[]", "{}", "[[],{}]", '{"a":{},"b":[],"c":[{"d":[{}]}]}', '[1,"a",true]',
  }) do
    local value, err = json.decode(text)
    check.eq(nil, err)
    check.eq(text, json.encode(value))
  end
  check.eq({ name = "Bob", items = { 10, 20 } }, json.decode(' {"name":"Bob", "items":[10, 20]} '))
  check.eq("integer", math.type(json.decode("42")))
  check.eq("float", math.type(json.decode("42.0")))
  check.eq("\u{1F600}", json.decode('"\\ud83d\\ude00"'))
end

return { main = main }
