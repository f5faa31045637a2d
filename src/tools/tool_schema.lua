-- Which input schemas every provider takes. One schema that a provider refuses would fail every later request of the
-- conversation, so it is refused here, with the place in it. The registry checks the rest of JSON Schema.

local tool_schema = {}

local MAX_DEPTH = 16
local TYPES = { object = true, array = true, string = true, number = true, integer = true, boolean = true, null = true }
local LISTS = { "anyOf", "oneOf", "allOf" }

local check

local function check_type(schema, where)
    local types = type(schema.type) == "table" and schema.type or { schema.type }
    for _, name in ipairs(types) do
        if not TYPES[name] then
            return where .. ": `" .. tostring(name) .. "` is not a type of JSON Schema"
        end
    end
    return nil
end

local function check_properties(schema, where, depth)
    if schema.properties == nil then
        return nil
    end
    if type(schema.properties) ~= "table" then
        return where .. ".properties must be a map"
    end
    for name, property in pairs(schema.properties) do
        if type(name) ~= "string" then
            return where .. ".properties must be a map of names, not a list"
        end
        local wrong = check(property, where .. ".properties." .. name, depth + 1)
        if wrong then
            return wrong
        end
    end
    return nil
end

local function check_required(schema, where)
    if schema.required == nil then
        return nil
    end
    if type(schema.required) ~= "table" then
        return where .. ".required must be a list of names"
    end
    for _, name in ipairs(schema.required) do
        if type(name) ~= "string" or type(schema.properties) ~= "table" or schema.properties[name] == nil then
            return where .. ".required names `" .. tostring(name) .. "`, which is not among the properties"
        end
    end
    return nil
end

local function check_items(schema, where, depth)
    if schema.type ~= "array" then
        return nil
    end
    if type(schema.items) ~= "table" then
        return where .. ": an array needs `items`"
    end
    return check(schema.items, where .. ".items", depth + 1)
end

local function check_lists(schema, where, depth)
    for _, key in ipairs(LISTS) do
        local list = schema[key]
        if list ~= nil and (type(list) ~= "table" or #list == 0) then
            return where .. "." .. key .. " must be a list of schemas"
        end
        for index, item in ipairs(list or {}) do
            local wrong = check(item, where .. "." .. key .. "[" .. index .. "]", depth + 1)
            if wrong then
                return wrong
            end
        end
    end
    return nil
end

check = function(schema, where, depth)
    if depth > MAX_DEPTH then
        return where .. ": nested deeper than " .. MAX_DEPTH .. " levels"
    end
    if type(schema) ~= "table" then
        return where .. " must be a schema"
    end
    if schema["$ref"] ~= nil then
        return where .. ": `$ref` is not accepted; write the schema out"
    end
    return check_type(schema, where)
        or check_properties(schema, where, depth)
        or check_required(schema, where)
        or check_items(schema, where, depth)
        or check_lists(schema, where, depth)
end

--- Returns what is wrong with the input schema of a tool, or nil.
function tool_schema.fault(schema)
    if type(schema) ~= "table" then
        return "input_schema must be a map"
    end
    if schema.type ~= "object" then
        return "input_schema: the type of a tool's input must be `object`"
    end
    return check(schema, "input_schema", 1)
end

return tool_schema
