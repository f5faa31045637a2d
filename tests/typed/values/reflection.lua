type User = {name: string, kind: integer, email?: string @min_len(3), is: boolean}
type Status = "pending" | "done"
type Name = string

assert(User:kind() == "record" and User:name() == "User" and tostring(User) == "User")
local fields = {}
for name, field in User:fields() do fields[#fields + 1] = name .. ":" .. field:kind() end
assert(table.concat(fields, " ") == "name:string kind:integer email:string is:boolean")
assert(User.name == String and User.name:kind() == "string" and User.kind == Integer)
assert(User.email:kind() == "string" and User.nothing == nil)
assert(User:is({ name = "x", kind = 1, is = true }), "methods stay although fields have their names")
assert(User.name("x") == "x")
assert(Number:kind() == "number" and Name:kind() == "string" and Name:name() == "Name")
local variants = {}
for variant in Status:variants() do variants[#variants + 1] = tostring(variant) end
assert(table.concat(variants, " ") == '"pending" "done"')
assert(type(User) == "userdata" and User:elem() == nil and User:inner() == nil and User:ret() == nil)
assert(not pcall(function() User.x = 1 end) and not pcall(pairs, User))
