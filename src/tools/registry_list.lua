-- Lists entries of the registry. The registry itself leaves out what the caller may not see.

local registry = require("registry")

local FIELDS = { kind = ".kind", namespace = ".ns", type = "meta.type" }

-- Returns the filter that `input` asks for, or nil and what is wrong.
local function filter_of(input)
    local filter = {}
    for name, key in pairs(FIELDS) do
        local value = input[name]
        if value ~= nil and type(value) ~= "string" then
            return nil, "`" .. name .. "` must be text"
        end
        if value and value ~= "" then
            filter[key] = value
        end
    end
    return filter
end

local function handler(input)
    local filter, wrong = filter_of(type(input) == "table" and input or {})
    if wrong then
        return { error = wrong }
    end
    local entries, err = registry.find(filter)
    if err then
        return { error = tostring(err) }
    end
    -- in place: an empty list of the registry stays a list, where an empty table of ours would become a map
    local listed = entries
    for index, entry in ipairs(entries) do
        local meta = entry.meta or {}
        listed[index] = { id = entry.id, kind = entry.kind, title = meta.title or meta.name or meta.comment or "" }
    end
    table.sort(listed, function(left, right)
        return left.id < right.id
    end)
    return { count = #listed, entries = listed }
end

return { handler = handler }
