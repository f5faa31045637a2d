local yaml = require("yaml")
local check = require("check")

local function main()
  check.fails(errors.INVALID, "must be a string", yaml.decode(123))
  check.fails(errors.INVALID, "empty", yaml.decode(""))
  for text, part in pairs({
    ["a: 1\na: 2"] = "written twice",
    [":\n  :\n  invalid"] = "yaml:",
    ["a: [1"] = "yaml:",
    ["a: !!python/object:os.system x"] = "tag",
    ["a: !custom x"] = "tag",
    ["1: a"] = "not a string",
    ["a: 99999999999999999999"] = "64 bits",
    ["a: .nan"] = "finite",
    ["a: 1\n---\nb: 2"] = "one document",
    ["a: &x [*x]"] = "alias",
    ["\ta: 1"] = "yaml:1:1",
  }) do
    check.fails(errors.INTERNAL, part, yaml.decode(text))
  end
  check.fails(errors.INTERNAL, "UTF-8", yaml.decode("a: \255"))
  local bomb = { "a0: &a0 [x, x, x, x, x, x, x, x, x, x]" }
  for level = 1, 9 do
    bomb[#bomb + 1] = ("a%d: &a%d [%s]"):format(level, level, string.rep("*a" .. level - 1, 10, ", "))
  end
  check.fails(errors.INTERNAL, "aliases repeat", yaml.decode(table.concat(bomb, "\n")))
  check.fails(errors.INTERNAL, "nested deeper", yaml.decode(string.rep("[", 100) .. string.rep("]", 100)))

  check.fails(errors.INVALID, "must be a table", yaml.encode(123))
  check.fails(errors.INVALID, "must be a table", yaml.encode("text"))
  check.fails(errors.INVALID, "holes", yaml.encode({ 1, nil, 3 }))
  check.fails(errors.INVALID, "can not cross", yaml.encode({ f = print }))
  check.fails(errors.INTERNAL, "NaN", yaml.encode({ 0 / 0 }))
  check.fails(errors.INTERNAL, "UTF-8", yaml.encode({ "\255" }))
  check.fails(errors.INVALID, "unknown option", yaml.encode({}, { indent = 2 }))
  check.fails(errors.INVALID, "field_order", yaml.encode({}, { field_order = { 1 } }))
end

return { main = main }
