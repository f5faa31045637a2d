local sample: {name: string, age: number} = { name = "a", age = 1 }
local free = { name = "a", tags = { "x" }, deep = { ok = true } }
type Sample = typeof(sample)
type Free = typeof(free)
local list: {number}, map: {[string]: boolean}, maybe: number? = { 1 }, {}, nil
local call: (number, string) -> boolean

assert(Sample:is({ name = "b", age = 2 }))
says(select(2, Sample:is({ name = 1, age = 2 })), "`name`: expected string")
assert(Free:is({ name = "b", tags = {}, deep = { ok = false } }))
says(select(2, Free:is({ name = "b", tags = {}, deep = { ok = 1 } })), "`deep.ok`: expected boolean")

assert(typeof(list):elem():kind() == "number" and typeof(list):kind() == "array")
assert(typeof(map):key():kind() == "string" and typeof(map):val():kind() == "boolean")
assert(typeof(maybe):kind() == "optional" and typeof(maybe):inner() == Number)
local kinds = {}
for each in typeof(call):params() do kinds[#kinds + 1] = each:kind() end
assert(table.concat(kinds, " ") == "number string" and typeof(call):ret():kind() == "boolean")

local value: any = 1
local unknown = 5
assert(typeof(unknown) == Number and typeof("x") == String and typeof(nil):kind() == "nil")
assert(typeof({ 1, 2 }):elem() == Number and typeof({ a = "x" }).a == String and typeof(typeof(value)) == typeof(value))
