local json = require("json")
local check = require("check")

local SCHEMA = {
  type = "object",
  properties = {
    name = { type = "string", minLength = 1 },
    age = { type = "integer", minimum = 0 },
    tags = { type = "array", items = { type = "string" }, uniqueItems = true },
    free = {},
  },
  required = { "name" },
  additionalProperties = false,
}

local function main()
  check.eq(true, json.validate(SCHEMA, { name = "Ada", age = 36, tags = { "a", "b" } }))
  check.eq(true, json.validate(SCHEMA, { name = "Ada", tags = {}, free = {} }))
  check.eq(true, json.validate({ type = "object" }, {}))
  check.eq(true, json.validate({ type = "array" }, {}))
  check.eq(true, json.validate('{"type":"number","minimum":0}', 42))
  check.fails(errors.INVALID, "$", json.validate(SCHEMA, { age = 1 }))
  check.fails(errors.INVALID, "$.age", json.validate(SCHEMA, { name = "Ada", age = -1 }))
  check.fails(errors.INVALID, "$.tags[2]", json.validate(SCHEMA, { name = "Ada", tags = { "a", 1 } }))
  check.fails(errors.INVALID, "not unique", json.validate(SCHEMA, { name = "Ada", tags = { "a", "a" } }))
  check.fails(errors.INVALID, "unexpected", json.validate(SCHEMA, { name = "Ada", other = 1 }))
  check.fails(errors.INVALID, "data is required", json.validate(SCHEMA, nil))

  check.eq(true, json.validate_string(SCHEMA, '{"name":"Ada"}'))
  check.fails(errors.INVALID, "type", json.validate_string({ type = "array" }, "{}"))
  check.fails(errors.INVALID, "not valid JSON", json.validate_string(SCHEMA, "{"))

  check.fails(errors.INVALID, "schema", json.validate({ type = "no such type" }, 1))
  check.fails(errors.INVALID, "schema", json.validate("{", 1))
  check.fails(errors.INVALID, "schema must be", json.validate(42, 1))
  for format, pair in pairs({
    email = { "a@b.c", "nobody" },
    date = { "2026-01-02", "2026-13-02" },
    ["date-time"] = { "2026-01-02T03:04:05Z", "2026-01-02" },
    ipv4 = { "127.0.0.1", "1.2.3" },
    ipv6 = { "::1", "g::" },
    uuid = { "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "x" },
  }) do
    check.eq(true, json.validate({ type = "string", format = format }, pair[1]))
    check.eq(false, (json.validate({ type = "string", format = format }, pair[2])))
  end
end

return { main = main }
