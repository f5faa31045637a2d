-- A schema can not make a check run for ever, leave the schema, or break the host.
local json = require("json")
local check = require("check")

local function main()
  -- Backtracking: linear on RE2.
  local long = string.rep("a", 200000)
  check.eq(false, (json.validate({ pattern = "^(a+)+$" }, long .. "b")))
  check.eq(true, json.validate({ patternProperties = { ["(a+)+$"] = {} } }, { [long .. "b"] = 1 }))
  check.fails(errors.INVALID, "regexp", json.validate({ pattern = "(?=a)" }, "a"))

  -- References: out, round and round, and doubling.
  check.fails(errors.INVALID, "can not be applied", json.validate({ ["$ref"] = "http://127.0.0.1:1/x.json" }, 1))
  check.fails(errors.INVALID, "can not be applied", json.validate({ ["$ref"] = "file:///etc/passwd" }, 1))
  check.eq(false, (json.validate({ ["$ref"] = "#" }, 1)))
  local defs = { s0 = { type = "integer" } }
  for level = 1, 40 do
    local below = { ["$ref"] = "#/$defs/s" .. level - 1 }
    defs["s" .. level] = { allOf = { below, below } }
  end
  check.eq(false, (json.validate({ ["$defs"] = defs, ["$ref"] = "#/$defs/s40" }, 1)))

  local enum, items = {}, {}
  for index = 1, 5000 do
    enum[index], items[index] = index, "x" .. index
  end
  check.eq(false, (json.validate({ items = { enum = enum } }, items)))
  check.eq(false, (json.validate({ enum = table.move(items, 1, 5000, 1, { string.rep("y", 70000) }) }, 1)))
  check.fails(errors.INVALID, "unevaluatedProperties", json.validate({ unevaluatedProperties = false }, { a = 1 }))
  check.eq(true, json.validate({ type = "integer" }, 1)) -- and the next check works
end

return { main = main }
