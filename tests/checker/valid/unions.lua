type Id = number | string
local function show(id: Id): string
    return "id " .. id
end
show(1)
show("a")
local ids: {Id} = {1, "a"}
local list: string | {string} = {"a", "b"}
local flag: true | false = not nil
