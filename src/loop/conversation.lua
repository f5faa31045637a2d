-- What one run of the agent keeps from turn to turn: the messages, the loaded agent, and how large the window of
-- its model is. The messages outlive every reload of the agent, since they belong to no runner.

local prompt = require("prompt")
local llm = require("llm")
local models = require("models")
local agent_context = require("agent_context")

local conversation = {}

local Conversation = {}
Conversation.__index = Conversation

-- The window of the model that answers; where the registry does not know that model, of the one it stands for.
local function window_of(selection, model)
    for _, name in ipairs({ selection.model or model, model }) do
        local card = models.get_by_name(name)
        if card and card.max_tokens then
            return card.max_tokens
        end
    end
    return nil
end

local function has_tool(runner, id)
    for _, tool in ipairs(runner.agent.tools) do
        if tool.registry_id == id then
            return true
        end
    end
    return false
end

--- Loads the agent again with one tool more; the messages stay. Returns true, or nil and an error; then the agent
-- is the one that it was.
function Conversation:add_tool(id)
    self.context:add_tools(id)
    local runner, err = self.context:load_agent()
    if err then
        return nil, err
    end
    if not has_tool(runner, id) then
        return nil, "it can not be offered to the model"
    end
    self.runner = runner
    return true
end

--- Puts the messages in place of those that are there.
function Conversation:replace(messages)
    self.messages = messages
end

--- Begins a conversation with the agent `id`. Returns nil and an error where the agent or its model is not to be had.
-- The fields are `messages` (a prompt builder), `runner`, `scripted` (no real model) and `window` (in tokens, or nil).
function conversation.open(id)
    local context = agent_context.new()
    local runner, err = context:load_agent(id)
    if err then
        return nil, err
    end
    local model = context:get_config().model
    local selection, select_err = llm.selection(model)
    if select_err then
        return nil, select_err
    end
    return setmetatable({
        context = context,
        runner = runner,
        messages = prompt.new(),
        scripted = selection.scripted == true,
        window = window_of(selection, model),
    }, Conversation)
end

return conversation
