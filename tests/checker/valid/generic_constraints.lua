type HasName = {name: string}
local function greet<T: HasName>(obj: T): string
    return "Hello, " .. obj.name
end
greet({name = "a"})
greet({name = "a", age = 1})
