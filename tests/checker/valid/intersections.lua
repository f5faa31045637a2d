type Named = {name: string}
type Aged = {age: number}
type Person = Named & Aged
local function greet(p: Person): string
    return p.name .. tostring(p.age)
end
local p: Person = {name = "a", age = 1}
greet(p)
local function name(n: Named): string
    return n.name
end
name(p)
