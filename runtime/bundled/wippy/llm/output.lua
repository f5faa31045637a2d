-- The messages in which a streamed answer is sent to a process, and a streamer that sends them.

local output = {}

output.TYPE = {
    CONTENT = "chunk",
    TOOL_CALL = "tool_call",
    ERROR = "error",
    THINKING = "thinking",
    DONE = "done",
}

local DEFAULT_TOPIC = "llm_response"
local DEFAULT_BUFFER = 10 -- bytes that are gathered before a chunk is sent

local Streamer = {}
Streamer.__index = Streamer

function Streamer:_send(message)
    return process.send(self.reply_to, self.topic, message)
end

function Streamer:send_content(text)
    return self:_send({ type = output.TYPE.CONTENT, content = text })
end

function Streamer:send_thinking(text)
    return self:_send({ type = output.TYPE.THINKING, content = text })
end

function Streamer:send_tool_call(name, arguments, id)
    return self:_send({ type = output.TYPE.TOOL_CALL, name = name, arguments = arguments, id = id })
end

function Streamer:send_error(kind, message, code)
    return self:_send({ type = output.TYPE.ERROR, error = { type = kind, message = message, code = code } })
end

function Streamer:send_done(meta)
    return self:_send({ type = output.TYPE.DONE, meta = meta })
end

--- Gathers text and sends it when enough is there or a sentence ends.
function Streamer:buffer_content(text)
    self.buffer = self.buffer .. (text or "")
    if #self.buffer >= self.buffer_size or self.buffer:find("[.!?]$") then
        return self:flush()
    end
    return true
end

--- Sends what is gathered.
function Streamer:flush()
    local text = self.buffer
    self.buffer = ""
    if text == "" then
        return true
    end
    return self:send_content(text)
end

function output.streamer(reply_to, topic, buffer_size)
    return setmetatable({
        reply_to = reply_to,
        topic = topic or DEFAULT_TOPIC,
        buffer_size = buffer_size or DEFAULT_BUFFER,
        buffer = "",
    }, Streamer)
end

return output
