-- One step of the agent, shown while it arrives. The step runs in a coroutine of its own; this one writes what
-- streams in. The stream is listed before the end, so the end is seen only when everything was written.

local io = require("io")

local answer = {}

local TOPIC = "answer"

local function drop_leftovers(stream)
    while not channel.select({ stream:case_receive(), default = true }).default do
    end
end

local function begin(conversation)
    local done = channel.new(1)
    coroutine.spawn(function()
        local target = { reply_to = process.pid(), topic = TOPIC }
        local ok, response, err = pcall(function()
            return conversation.runner:step(conversation.messages, { stream_target = target })
        end)
        if not ok then
            response, err = nil, response
        end
        done:send({ response = response, err = err })
    end)
    return done
end

-- Writes the stream until the step ends; returns how it ended and the text that was written.
local function follow(stream, done)
    local written = {}
    while true do
        local event = channel.select({ stream:case_receive(), done:case_receive() })
        if event.channel == done then
            return event.value, table.concat(written)
        end
        local message = event.value
        if type(message) == "table" and message.type == "chunk" and type(message.content) == "string" then
            io.write(message.content)
            written[#written + 1] = message.content
        end
    end
end

-- An answer that did not stream is written whole; a line that was begun is ended.
local function finish(text, response)
    if text == "" and response and response.result ~= "" then
        io.write(response.result)
        text = response.result
    end
    if text ~= "" and text:sub(-1) ~= "\n" then
        io.print("")
    end
    io.flush()
    return text
end

--- Opens the channel on which answers stream; `close` it at the end of the run.
function answer.open()
    return process.listen(TOPIC)
end

function answer.close(stream)
    process.unlisten(stream)
end

--- Takes one step. Returns the response, or nil and an error, and the text that was shown.
function answer.take(conversation, stream)
    drop_leftovers(stream)
    local ended, streamed = follow(stream, begin(conversation))
    local text = finish(streamed, ended.response)
    return ended.response, ended.err, text
end

return answer
