-- From a line of the user to the end of the answer: steps, with tools between them, until the model asks for no
-- tool more. However a turn ends, the messages are left complete: each call answered, each question too.

local io = require("io")
local agent_answer = require("agent_answer")
local agent_calls = require("agent_calls")
local agent_compression = require("agent_compression")

local turn = {}

turn.MAX_STEPS = 40

-- How a turn ends: with an answer, by the user, with an error, or with one that every further turn would meet too.
turn.DONE, turn.INTERRUPTED, turn.FAILED, turn.REFUSED = "done", "interrupted", "failed", "refused"

-- Why an answer may stop before its end, as the user is told.
local CUT = {
    length = "the answer reached the model's limit and stops here; say `go on` for more",
    filtered = "the provider's filter ended the answer here",
}

local function details_of(err)
    if type(err) == "string" or err.details == nil then
        return {}
    end
    return err:details() or {}
end

local function interrupt(state, shown)
    local note = shown ~= "" and shown .. "\n[interrupted]" or "[interrupted]"
    state.conversation.messages:add_assistant(note)
    io.print("(interrupted)")
    return turn.INTERRUPTED
end

-- A question without any answer is taken back, so that it can be asked again; otherwise the failure is noted.
local function fail(state, err)
    if state.untouched then
        state.conversation:replace(state.untouched)
    else
        state.conversation.messages:add_assistant("[the answer failed: " .. tostring(err) .. "]")
    end
    io.print("Error: " .. tostring(err))
    return details_of(err).fatal and turn.REFUSED or turn.FAILED, err
end

-- Shortens the messages where the provider reported too many tokens. Returns whether the user interrupted that.
local function shorten(state, response, pending)
    if not agent_compression.is_due(response, state.conversation.window) then
        return false
    end
    local _, err = agent_compression.apply(state.conversation, pending)
    if err and errors.is(err, errors.CANCELED) then
        return true
    end
    if err then
        io.print("[compression] error: " .. tostring(err))
    else
        io.print("[compression] done")
    end
    return false
end

local function finish(state, response, shown)
    local text = response.result
    if response.truncated then
        io.print("Error: the answer was cut short before its tool calls were complete; none of them was run")
        text = text .. "\n[cut short: no tool was run]"
    elseif text == "" and shown == "" then
        io.print("(the model gave no answer)")
        text = "[no answer]"
    end
    if CUT[response.finish_reason] and not response.truncated then
        io.print("(" .. CUT[response.finish_reason] .. ")")
    end
    state.conversation.messages:add_assistant(text ~= "" and text or shown)
    shorten(state, response, nil)
    return turn.DONE
end

-- Takes one step; returns how the turn ended (and the error), or nil when it goes on.
local function step(state)
    local stale = state.conversation:refresh()
    if stale then
        io.print("[reload] error: the agent as declared now can not be loaded, the one before goes on: " .. tostring(stale))
    end
    local response, err, shown = agent_answer.take(state.conversation, state.stream)
    if err and errors.is(err, errors.CANCELED) then
        return interrupt(state, shown)
    end
    if err then
        return fail(state, err)
    end
    if not response.tool_calls then
        return finish(state, response, shown)
    end
    state.untouched = nil
    if response.result ~= "" then
        state.conversation.messages:add_assistant(response.result)
    end
    local interrupted = agent_calls.run(state.conversation, response.tool_calls)
    if interrupted or shorten(state, response, state.question) then
        return interrupt(state, "")
    end
    return nil
end

local function run_steps(state)
    for _ = 1, turn.MAX_STEPS do
        local ended, err = step(state)
        if ended then
            return ended, err
        end
    end
    local note = ("[stopped after %d steps; say `go on` to continue]"):format(turn.MAX_STEPS)
    state.conversation.messages:add_assistant(note)
    io.print(note)
    return turn.DONE
end

--- Runs one turn and returns how it ended, one of the four above, and the error of one that failed.
-- `stream` is the channel of `answer.open`.
function turn.run(conversation, stream, question)
    local state = {
        conversation = conversation,
        stream = stream,
        question = question,
        untouched = conversation.messages:clone(),
    }
    conversation.messages:add_user(question)
    local ok, ended, err = pcall(run_steps, state)
    if ok then
        return ended, err
    end
    if errors.is(ended, errors.CANCELED) then -- Ctrl-C can also reach this very code while it computes
        return interrupt(state, "")
    end
    return fail(state, ended)
end

return turn
