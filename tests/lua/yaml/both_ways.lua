local yaml = require("yaml")
local check = require("check")

local function main()
  check.eq({ name = "test", value = 123 }, yaml.decode("name: test\nvalue: 123"))
  check.eq({ 1, 2, 3 }, yaml.decode("- 1\n- 2\n- 3"))
  check.eq("text", yaml.decode("text"))
  check.eq(nil, yaml.decode("null"))
  check.eq({ base = { a = 1 }, copy = { a = 1, b = 2 } }, yaml.decode("base: &x {a: 1}\ncopy: {<<: *x, b: 2}"))

  -- The core types of YAML 1.2.
  local types = yaml.decode([[
no: NO
on: on
clock: 22:22
octal: 0755
version: "1.10"
date: 2024-01-01
float: 1e3
hex: 0x10
oct: 0o17
yes: true
nothing: ~
]])
  check.eq({
    no = "NO", on = "on", clock = "22:22", octal = "0755", version = "1.10", date = "2024-01-01", float = 1000.0,
    hex = 16, oct = 15, yes = true,
  }, types)
  check.eq("float", math.type(yaml.decode("1.10")))

  check.eq("name: test\nvalue: 123\n", yaml.encode({ value = 123, name = "test" }))
  check.eq("- 1\n- a\n- true\n", yaml.encode({ 1, "a", true }))
  check.eq("a:\n  - b: 1\n    c: x\n", yaml.encode({ a = { { b = 1, c = "x" } } }))
  check.eq("name: test\nkind: demo\nalpha: 2\nzebra: 1\n",
    yaml.encode({ zebra = 1, alpha = 2, name = "test", kind = "demo" }, { field_order = { "name", "kind" }, sort_unordered = true }))

  -- What is written reads back the same.
  for _, value in ipairs({
    { "NO", "on", "y", "null", "~", "", " x ", "1", "1.0", "0x10", "1e3", "0755", "1:30", "2024-01-01", "true", "- a",
      "a: b", "# x", "'", '"', "@", "&a", "*a", "!t", "%", "`", "{", "[", "a\nb\n", "a\n b", "\ta", "\u{e9}", "\u{1F600}",
      "\127", "a \n", "\n", "a\u{85}b", "?", "-", "...", "---", "<<", ".inf", ".nan", "=", "0b1", "1_000" },
    { a = { b = { c = { 1.5, -0.25, 1e300, 9223372036854775807, false } } } },
    { ["on"] = 1, ["1"] = 2, [""] = 3, ["a: b"] = 4 },
  }) do
    check.eq(value, yaml.decode((yaml.encode(value))))
  end
end

return { main = main }
