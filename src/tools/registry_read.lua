-- Reads one entry of the registry, where policy lets the caller see it.

local registry = require("registry")

local function handler(input)
    local id = type(input) == "table" and input.id
    if type(id) ~= "string" or id == "" then
        return { error = "give the `id` of an entry, namespace:name" }
    end
    local entry, err = registry.get(id)
    if err then
        return { error = tostring(err) }
    end
    return { id = entry.id, kind = entry.kind, meta = entry.meta, data = entry.data }
end

return { handler = handler }
