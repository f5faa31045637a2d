-- Makes a conversation short before it outgrows the model. Only what the provider reported decides, and it happens
-- between complete groups of calls and results: the summary takes the place of all of them.

local json = require("json")
local prompt = require("prompt")
local compress = require("compress")

local compression = {}

local SHARE = 0.75 -- of the model's own window
local MODEL = "gpt-4.1-nano"
local TARGET = 4000 -- characters

local function text_of(parts)
    local texts = {}
    for _, part in ipairs(parts) do
        texts[#texts + 1] = part.type == prompt.CONTENT_TYPE.TEXT and part.text or "[" .. tostring(part.type) .. "]"
    end
    return table.concat(texts, "\n")
end

local function line_of(message)
    if message.role == prompt.ROLE.FUNCTION_CALL then
        local call = message.function_call
        local arguments = type(call.arguments) == "table" and json.encode(call.arguments) or call.arguments
        return "call of " .. call.name .. ": " .. tostring(arguments)
    end
    if message.role == prompt.ROLE.FUNCTION_RESULT then
        return "result of " .. message.name .. ": " .. text_of(message.content)
    end
    return message.role .. ": " .. text_of(message.content or {})
end

local function transcript(messages)
    local lines = {}
    for _, message in ipairs(messages:get_messages()) do
        if message.role ~= prompt.ROLE.CACHE_MARKER then
            lines[#lines + 1] = line_of(message)
        end
    end
    return table.concat(lines, "\n\n")
end

--- Returns whether the provider reported, for this response, more prompt tokens than the window should hold.
function compression.is_due(response, window)
    local reported = response.tokens and response.tokens.prompt_tokens
    return window ~= nil and reported ~= nil and reported > SHARE * window
end

--- Replaces the messages by a summary; `pending` is the question of a turn that goes on, or nil.
-- Returns true, or nil and an error; then the messages are as they were.
function compression.apply(conversation, pending)
    local summary, err = compress.to_size(MODEL, transcript(conversation.messages), TARGET)
    if err then
        return nil, err
    end
    local messages = prompt.with_system("Conversation summary:\n\n" .. summary)
    if pending then
        messages:add_user(pending)
    end
    conversation:replace(messages)
    return true
end

return compression
