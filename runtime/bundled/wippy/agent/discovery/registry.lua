-- The agents that the registry declares, as specs that the compiler takes.

local registry = require("registry")

local agents = {}

local AGENT = "agent.gen1"

local function spec_of(entry)
    local spec = {}
    for name, value in pairs(entry.data or {}) do
        spec[name] = value
    end
    local meta = entry.meta or {}
    spec.id = entry.id
    spec.name = meta.name or registry.parse_id(entry.id).name
    spec.title = meta.title
    spec.description = meta.comment
    spec.class = meta.class
    return spec
end

local function is_agent(entry)
    return entry.meta ~= nil and entry.meta.type == AGENT
end

local function not_found(message)
    return errors.new({ kind = errors.NOT_FOUND, message = message })
end

--- Returns the spec of the agent with the id.
function agents.get_by_id(id)
    if type(id) ~= "string" or id == "" then
        return nil, errors.new({ kind = errors.INVALID, message = "an agent id is required" })
    end
    local entry, err = registry.get(id)
    if err then
        return nil, err
    end
    if not is_agent(entry) then
        return nil, not_found("`" .. id .. "` is not an agent: its `meta.type` is not `" .. AGENT .. "`")
    end
    return spec_of(entry)
end

--- Returns the spec of the agent with the name; of several the first by id.
function agents.get_by_name(name)
    local entries, err = registry.find({ ["meta.type"] = AGENT, ["meta.name"] = name })
    if err then
        return nil, err
    end
    table.sort(entries, function(left, right)
        return left.id < right.id
    end)
    if #entries == 0 then
        return nil, not_found("no agent has the name `" .. tostring(name) .. "`")
    end
    return spec_of(entries[1])
end

local function in_class(entry, class)
    local declared = entry.meta.class
    if type(declared) ~= "table" then
        return declared == class
    end
    for _, item in ipairs(declared) do
        if item == class then
            return true
        end
    end
    return false
end

--- Returns the agents of the class by id, as specs or, with `raw_entries`, as entries.
function agents.list_by_class(class, options)
    local entries, err = registry.find({ ["meta.type"] = AGENT })
    if err then
        return nil, err
    end
    local found = {}
    for _, entry in ipairs(entries) do
        if in_class(entry, class) then
            found[#found + 1] = options and options.raw_entries and entry or spec_of(entry)
        end
    end
    table.sort(found, function(left, right)
        return left.id < right.id
    end)
    return found
end

return agents
