-- A builder of conversations. Messages of one speaker in a row become one message, so that what is built is
-- what every provider accepts; calls of functions and their results are never joined.

local llm_content = require("llm_content")
local llm_messages = require("llm_messages")

local ROLE, TEXT = llm_content.ROLE, llm_content.CONTENT_TYPE.TEXT
local JOINED = { [ROLE.SYSTEM] = true, [ROLE.USER] = true, [ROLE.ASSISTANT] = true, [ROLE.DEVELOPER] = true }

local prompt = {
    ROLE = ROLE,
    CONTENT_TYPE = llm_content.CONTENT_TYPE,
    text = llm_content.text,
    image = llm_content.image,
    image_base64 = llm_content.image_base64,
    document_base64 = llm_content.document_base64,
}

local Builder = {}
Builder.__index = Builder

-- Adds `parts` to `content`; text that meets text becomes one part with an empty line between.
local function join(content, parts)
    for _, part in ipairs(parts) do
        local last = content[#content]
        if last and last.type == TEXT and part.type == TEXT then
            content[#content] = llm_content.text(last.text .. "\n\n" .. part.text)
        else
            content[#content + 1] = part
        end
    end
end

function Builder:_push(message)
    self.messages[#self.messages + 1] = message
    return self
end

function Builder:add_message(role, content_parts, name, metadata)
    local last = self.messages[#self.messages]
    if last and JOINED[role] and last.role == role and last.name == name then
        join(last.content, content_parts)
        return self
    end
    -- a list of its own: later text is joined to it, and the caller's list is not ours to change
    local parts = {}
    for index, part in ipairs(content_parts) do
        parts[index] = part
    end
    return self:_push({ role = role, content = parts, name = name, metadata = metadata })
end

function Builder:_add_text(role, text, metadata)
    return self:add_message(role, { llm_content.text(text) }, nil, metadata)
end

function Builder:add_system(text, metadata)
    if text == nil or text == "" then
        return self
    end
    return self:_add_text(ROLE.SYSTEM, text, metadata)
end

function Builder:add_developer(text, metadata)
    if text == nil or text == "" then
        return self
    end
    return self:_add_text(ROLE.DEVELOPER, text, metadata)
end

function Builder:add_user(text, metadata)
    return self:_add_text(ROLE.USER, text or "", metadata)
end

function Builder:add_assistant(text, metadata)
    return self:_add_text(ROLE.ASSISTANT, text or "", metadata)
end

--- Adds the call of a function; `arguments` is a table or JSON text.
function Builder:add_function_call(name, arguments, id, options)
    return self:_push({
        role = ROLE.FUNCTION_CALL,
        content = {},
        function_call = {
            name = name,
            arguments = arguments,
            id = id,
            provider_metadata = options and options.provider_metadata or nil,
        },
    })
end

--- Adds the answer to the call `id`; without content nothing is added.
function Builder:add_function_result(name, content, id)
    if not content then
        return self
    end
    return self:_push({
        role = ROLE.FUNCTION_RESULT,
        name = name,
        content = { llm_content.text(content) },
        function_call_id = id,
    })
end

function Builder:add_cache_marker(id)
    return self:_push({ role = ROLE.CACHE_MARKER, marker_id = id or "default" })
end

--- Returns the messages as they are sent; changing them changes nothing here.
function Builder:get_messages()
    return llm_messages.prepare(self.messages)
end

function Builder:build()
    return { messages = self:get_messages() }
end

function Builder:clear()
    self.messages = {}
    return self
end

function Builder:clone()
    return prompt.new(llm_content.copy(self.messages))
end

--- Returns a builder; a list that is passed is used as it is and not copied.
function prompt.new(messages)
    return setmetatable({ messages = messages or {} }, Builder)
end

function prompt.with_system(text)
    return prompt.new():add_system(text)
end

return prompt
