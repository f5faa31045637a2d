-- From the tools that an agent names to the tools that a model is offered. A tool that can not be read or
-- described is left out and told about; two tools of one name: the later one wins.

local agent_tools = require("agent_tools")

local tool_list = {}

local function merged(...)
    local result = {}
    for index = 1, select("#", ...) do
        for key, value in pairs((select(index, ...)) or {}) do
            result[key] = value
        end
    end
    return result
end

tool_list.merged = merged

-- Yields the items of `reference`; `namespace:*` stands for every tool of exactly that namespace.
local function expand(item)
    local reference = type(item) == "string" and { id = item } or item
    if type(reference) ~= "table" or type(reference.id) ~= "string" then
        return nil, errors.new({ kind = errors.INVALID, message = "a tool must be an id or a map with `id`" })
    end
    local namespace = reference.id:match("^(.+):%*$")
    if not namespace then
        return { reference }
    end
    local entries, err = agent_tools.find_tools({ namespace = namespace })
    if err then
        return nil, err
    end
    local items, names = {}, {}
    for _, entry in ipairs(entries) do
        local name = agent_tools.name_of(entry)
        if not names[name] then
            names[name] = true
            items[#items + 1] = { id = entry.id, context = reference.context }
        end
    end
    return items
end

local function offered(item, context)
    local tool, err = agent_tools.get_tool_schema(item.id)
    if err then
        return nil, err
    end
    return {
        name = item.alias or tool.name,
        description = item.description or tool.description,
        schema = item.schema or tool.schema,
        registry_id = tool.id,
        meta = tool.meta,
        context = merged(context, item.context),
    }
end

--- Adds the tools of `items` to `list`, a table by name; `context` goes to each of them.
-- Returns a list of {id, error} of those that are not to be had.
function tool_list.add(list, items, context)
    local missing = {}
    for _, item in ipairs(items or {}) do
        local references, err = expand(item)
        if err then
            missing[#missing + 1] = { id = tostring(type(item) == "table" and item.id or item), error = err }
        end
        for _, reference in ipairs(references or {}) do
            local tool, tool_err = offered(reference, context)
            if tool then
                list[tool.name] = tool
            else
                missing[#missing + 1] = { id = reference.id, error = tool_err }
            end
        end
    end
    return missing
end

--- Returns the tools of `list` in the order of their names.
function tool_list.sorted(list)
    local tools = {}
    for _, tool in pairs(list) do
        tools[#tools + 1] = tool
    end
    table.sort(tools, function(left, right)
        return left.name < right.name
    end)
    return tools
end

return tool_list
