-- Answers whether an entry is a tool that the agent can load; the loop of the agent loads it.

local registry = require("registry")

local function handler(input)
    local id = type(input) == "table" and input.id
    if type(id) ~= "string" or id == "" then
        return { error = "give the `id` of a tool, namespace:name" }
    end
    local entry, err = registry.get(id)
    if err then
        return { error = tostring(err) }
    end
    local meta = entry.meta or {}
    if meta.type ~= "tool" or not entry.kind:find("^function%.") then
        return { error = "`" .. id .. "` is not a tool: a tool is a function whose meta.type is tool" }
    end
    return {
        loaded = true,
        id = entry.id,
        alias = meta.llm_alias or registry.parse_id(entry.id).name,
        description = meta.llm_description or meta.comment or "",
    }
end

return { handler = handler }
