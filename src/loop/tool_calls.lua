-- Runs the tools that a step asked for, one after the other. Every call is answered exactly once: also one with
-- arguments that can not be read, of a tool that is not there, that is refused, that fails or is interrupted.

local funcs = require("funcs")
local io = require("io")
local json = require("json")

local tool_calls = {}

local LOAD_TOOL = "app.tools:load_tool"
local MAX_RESULT = 32000 -- bytes of one result that the model gets
local MAX_SHOWN = 200 -- bytes of an error that the user gets
local INTERRUPTED = { error = "interrupted" }

-- Returns the result of one call, and whether the user interrupted it.
local function run(call)
    if call.arguments_error then
        return { error = "invalid arguments: " .. tostring(call.arguments_error) }, false
    end
    if not call.registry_id then
        return { error = "there is no tool `" .. tostring(call.name) .. "`" }, false
    end
    local ok, result, err = pcall(funcs.call, call.registry_id, call.arguments or {})
    if not ok then
        result, err = nil, result
    end
    if err then
        return { error = tostring(err) }, errors.is(err, errors.CANCELED)
    end
    return result == nil and {} or result, false
end

local function error_of(result)
    return type(result) == "table" and result.error ~= nil and tostring(result.error) or nil
end

local function one_line(text)
    local line = text:match("^[^\r\n]*"):gsub("%c", " ")
    return #line > MAX_SHOWN and line:sub(1, MAX_SHOWN) .. "..." or line
end

-- The name is the model's: what it says stays on its line.
local function report(name, result)
    name = one_line(name:gsub("%s+", " "))
    local failure = error_of(result)
    if failure then
        io.print("[" .. name .. "] error: " .. one_line(failure))
    else
        io.print("[" .. name .. "] done")
    end
end

-- Returns the result as the model gets it: JSON, cut where it is too long.
local function encoded(result)
    local text, err = json.encode(result)
    if err then
        text = json.encode({ error = "the result can not be written as JSON: " .. tostring(err) })
    end
    if #text > MAX_RESULT then
        return text:sub(1, MAX_RESULT) .. "\n... (cut: the result has " .. #text .. " bytes)"
    end
    return text
end

-- What goes into the history is always JSON of an object, whatever the model wrote.
local function arguments_of(call)
    if type(call.arguments) ~= "table" or next(call.arguments) == nil then
        return "{}"
    end
    return call.arguments
end

-- The calls of one step stay one group: all of them, then their results in the same order.
local function record(messages, calls, results)
    for _, call in ipairs(calls) do
        messages:add_function_call(call.name, arguments_of(call), call.id)
    end
    for index, call in ipairs(calls) do
        messages:add_function_result(call.name, encoded(results[index]), call.id)
    end
end

local function wants_loading(call, result)
    return call.registry_id == LOAD_TOOL and type(result) == "table" and result.loaded == true
end

-- Runs one call to its end; a tool that is to be loaded is loaded before the model is told so.
local function complete(conversation, call)
    local result, interrupted = run(call)
    if interrupted then
        return INTERRUPTED, true
    end
    if not wants_loading(call, result) then
        return result, false
    end
    local _, err = conversation:add_tool(result.id)
    if err then
        return { error = "could not load `" .. tostring(result.id) .. "`: " .. tostring(err) }, false
    end
    return result, false
end

--- Runs `calls` and records them with their results. Returns whether the user interrupted one of them; those behind it
-- are answered without being run.
function tool_calls.run(conversation, calls)
    local interrupted = false
    local results = {}
    for index, call in ipairs(calls) do
        local result = INTERRUPTED
        if not interrupted then
            result, interrupted = complete(conversation, call)
        end
        results[index] = result
        report(call.name, result)
        if wants_loading(call, result) then
            io.print("  [+] " .. result.id)
        end
    end
    record(conversation.messages, calls, results)
    return interrupted
end

return tool_calls
