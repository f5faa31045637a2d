type HasName = {name: string}
local function greet<T: HasName>(x: T): string
    return x.name
end
greet({age = 30}) --! E0001
