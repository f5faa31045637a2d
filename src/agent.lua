-- The command `agent`: reads lines and answers them until `quit`, `exit` or the end of input. Who answers is said
-- by the host before this process starts. A prompt is written only where somebody sits at a terminal.

local io = require("io")
local agent_conversation = require("agent_conversation")
local agent_answer = require("agent_answer")
local agent_turn = require("agent_turn")

local AGENT = "app:dev_assistant"
local WORDS_TO_LEAVE = { quit = true, exit = true }

local EXIT_FAILED = 1
local EXIT_NOT_AVAILABLE = 7
local EXIT_INTERRUPTED = 130

-- Asked once: after Ctrl-C the host answers nothing but the next read.
local at_terminal = false

local function prompt_of(conversation)
    return at_terminal and (conversation.scripted and "(offline) > " or "> ") or nil
end

-- Reads until there is something to answer; returns the text, or nil and the exit code.
-- The first Ctrl-C at an empty prompt says how to leave, the second one leaves.
local function next_question(conversation)
    local interrupted = false
    while true do
        local line, err = io.readline(prompt_of(conversation))
        if err and errors.is(err, errors.CANCELED) then
            if interrupted or not at_terminal then
                return nil, EXIT_INTERRUPTED
            end
            interrupted = true
            io.print("\n(Ctrl-C again or `quit` to leave)")
        elseif line == nil or WORDS_TO_LEAVE[line:match("^%s*(.-)%s*$")] then
            return nil, 0
        elseif line:find("%S") then
            return line
        else
            interrupted = false
        end
    end
end

local function exit_code_of(err)
    local passing = errors.is(err, errors.UNAVAILABLE)
        or errors.is(err, errors.TIMEOUT)
        or errors.is(err, errors.RATE_LIMITED)
    return passing and EXIT_NOT_AVAILABLE or EXIT_FAILED
end

-- Answers until nobody asks any more; returns the exit code. Where nobody sits at a terminal to see that a turn
-- failed, the exit code says so.
local function talk(conversation, stream)
    local failed = 0
    while true do
        local question, code = next_question(conversation)
        if not question then
            if code == 0 then
                io.print("Bye!")
            end
            return code ~= 0 and code or failed
        end
        local ended, err = agent_turn.run(conversation, stream, question)
        if ended == agent_turn.REFUSED then
            return EXIT_NOT_AVAILABLE
        end
        if ended == agent_turn.FAILED and not at_terminal then
            failed = exit_code_of(err)
        end
    end
end

local function main()
    local conversation, err = agent_conversation.open(AGENT)
    if err then
        io.eprint("Error: " .. tostring(err))
        return exit_code_of(err)
    end
    at_terminal = io.is_terminal()
    local stream = agent_answer.open()
    local code = talk(conversation, stream)
    agent_answer.close(stream)
    return code
end

return { main = main }
