-- The tools that the registry declares, and how a model sees them: a name, a description and a schema.

local registry = require("registry")
local json = require("json")

local tools = {}

local TOOL = "tool"

--- Returns the last part of an id, or any name, as a model takes it: snake case without other signs.
function tools.sanitize_name(id)
    local name = tostring(id):match("[^:]*$"):match("[^.]*$")
    name = name:gsub("[^%w]", "_")
    name = name:gsub("(%l)(%u)", "%1_%2"):gsub("(%d)(%u)", "%1_%2"):lower()
    name = name:gsub("__+", "_"):gsub("^_+", "")
    return name
end

--- Returns the name under which a model calls the tool.
function tools.name_of(entry, alias)
    if alias and alias ~= "" then
        return alias
    end
    local declared = entry.meta and entry.meta.llm_alias
    if type(declared) == "string" and declared ~= "" then
        return declared
    end
    return tools.sanitize_name(entry.id)
end

-- A provider refuses an object without properties.
local function with_properties(schema)
    if type(schema.properties) == "table" and next(schema.properties) ~= nil then
        return schema
    end
    local result = {}
    for key, value in pairs(schema) do
        result[key] = value
    end
    result.type = "object"
    result.properties = {
        placeholder = { type = "object", description = "Not used; leave it out", additionalProperties = false },
    }
    result.required = nil
    return result
end

local function schema_of(entry)
    local declared = entry.meta.input_schema
    if type(declared) == "string" then
        local decoded, err = json.decode(declared)
        if err or type(decoded) ~= "table" then
            local message = "`input_schema` of `" .. entry.id .. "` is not a JSON object"
            return nil, errors.new({ kind = errors.INVALID, message = message })
        end
        declared = decoded
    end
    return with_properties(type(declared) == "table" and declared or {})
end

local function description_of(meta)
    return meta.llm_description or meta.description or meta.comment or ""
end

local function is_tool(entry)
    return entry.meta ~= nil and entry.meta.type == TOOL
end

local function described(entry)
    local schema, err = schema_of(entry)
    if err then
        return nil, err
    end
    return {
        id = entry.id,
        name = tools.name_of(entry),
        title = entry.meta.title,
        description = description_of(entry.meta),
        schema = schema,
        meta = entry.meta,
    }
end

--- Returns {id, name, title, description, schema, meta} of the tool with the id.
function tools.get_tool_schema(id)
    local entry, err = registry.get(id)
    if err then
        return nil, err
    end
    if not is_tool(entry) then
        local message = "`" .. tostring(id) .. "` is not a tool: its `meta.type` is not `tool`"
        return nil, errors.new({ kind = errors.INVALID, message = message })
    end
    return described(entry)
end

--- Returns the described tools by id, and the errors of those that could not be described by id, nil where none.
function tools.get_tool_schemas(ids)
    local found, failed = {}, {}
    for _, id in ipairs(ids) do
        local tool, err = tools.get_tool_schema(id)
        if tool then
            found[id] = tool
        else
            failed[id] = err
        end
    end
    return found, next(failed) ~= nil and failed or nil
end

local function has_tags(entry, wanted)
    for _, tag in ipairs(wanted or {}) do
        local found = false
        for _, own in ipairs(entry.meta.tags or {}) do
            found = found or own == tag
        end
        if not found then
            return false
        end
    end
    return true
end

--- Returns the entries of the tools that fit `{namespace, tags}`, by id.
function tools.find_tools(criteria)
    local filter = { [".kind"] = "function.*", ["meta.type"] = TOOL }
    if criteria and criteria.namespace then
        filter[".ns"] = criteria.namespace
    end
    local entries, err = registry.find(filter)
    if err then
        return nil, err
    end
    local found = {}
    for _, entry in ipairs(entries) do
        if has_tags(entry, criteria and criteria.tags) then
            found[#found + 1] = entry
        end
    end
    table.sort(found, function(left, right)
        return left.id < right.id
    end)
    return found
end

--- Returns the id of the tool that a model calls by the name.
function tools.resolve_name_to_id(name)
    local entries, err = tools.find_tools()
    if err then
        return nil, err
    end
    for _, entry in ipairs(entries) do
        if tools.name_of(entry) == name then
            return entry.id
        end
    end
    return nil, errors.new({ kind = errors.NOT_FOUND, message = "no tool has the name `" .. tostring(name) .. "`" })
end

return tools
