-- What a request for a tool must look like. It is checked before anything is read or written, and a fault is said
-- so that the one who asked can mend it.

local json = require("json")
local tool_schema = require("tool_schema")

local tool_request = {}

local NAMESPACE = "app.generated"
local MAX_NAME = 64
local MAX_SOURCE = 16000
local MODULES = { "time", "json", "http_client", "expr", "text", "base64", "yaml", "crypto", "hash", "uuid" }

local ALLOWED = {}
for _, name in ipairs(MODULES) do
    ALLOWED[name] = true
end

-- Returns the id and the bare name, or nil, nil and what is wrong.
local function identity(name)
    if type(name) ~= "string" or name == "" then
        return nil, nil, "`name` is required"
    end
    if #name > MAX_NAME then
        return nil, nil, "`name` has " .. #name .. " characters; at most " .. MAX_NAME .. " are allowed"
    end
    local namespace, bare = name:match("^([^:]*):(.*)$")
    bare = bare or name
    if namespace and not namespace:find("^[%w_][%w_%-%.]*$") then
        return nil, nil, "`name` has an invalid namespace; leave it out to use " .. NAMESPACE
    end
    if not bare:find("^[%a_][%w_%-%.]*$") then
        return nil, nil, "`name` must be of letters, digits, `_`, `-` and `.` and start with a letter or `_`"
    end
    return (namespace or NAMESPACE) .. ":" .. bare, bare
end

local function check_source(source)
    if type(source) ~= "string" or not source:find("%S") then
        return "`source` is required"
    end
    if #source > MAX_SOURCE then
        return "`source` has " .. #source .. " characters; at most " .. MAX_SOURCE .. " are allowed"
    end
    return nil
end

-- Returns the modules, each once and in order and nil where there are none, and what is wrong.
local function modules_of(value)
    if value ~= nil and type(value) ~= "table" then
        return nil, "`modules` must be a list of names"
    end
    local modules, seen = {}, {}
    for key, name in pairs(value or {}) do
        if type(key) ~= "number" or type(name) ~= "string" then
            return nil, "`modules` must be a list of names"
        end
        if not ALLOWED[name] then
            return nil, "module `" .. name .. "` is not allowed in a tool; allowed are " .. table.concat(MODULES, ", ")
        end
        if not seen[name] then
            seen[name] = true
            modules[#modules + 1] = name
        end
    end
    table.sort(modules)
    return #modules > 0 and modules or nil
end

-- Returns the schema as a map, or nil and what is wrong; without one the input is an object of anything.
local function schema_of(value)
    if type(value) == "string" then
        local decoded, err = json.decode(value)
        if err then
            return nil, "input_schema is not JSON: " .. tostring(err)
        end
        value = decoded
    end
    if value == nil or (type(value) == "table" and next(value) == nil) then
        return { type = "object" }
    end
    local fault = tool_schema.fault(value)
    if fault then
        return nil, fault
    end
    return value
end

--- Returns {id, name, description, source, modules?, input_schema}, or nil and what is wrong.
function tool_request.read(input)
    if type(input) ~= "table" then
        return nil, "the input must be a map with `name`, `description` and `source`"
    end
    local id, name, wrong = identity(input.name)
    if wrong then
        return nil, wrong
    end
    if type(input.description) ~= "string" or not input.description:find("%S") then
        return nil, "`description` is required: it tells when to use the tool"
    end
    wrong = check_source(input.source)
    if wrong then
        return nil, wrong
    end
    local modules, modules_wrong = modules_of(input.modules)
    if modules_wrong then
        return nil, modules_wrong
    end
    local schema, schema_wrong = schema_of(input.input_schema)
    if schema_wrong then
        return nil, schema_wrong
    end
    return {
        id = id,
        name = name,
        description = input.description,
        source = input.source,
        modules = modules,
        input_schema = schema,
    }
end

return tool_request
