-- What one run of the agent keeps from turn to turn: the messages, the loaded agent, and how large the window of
-- its model is. The messages outlive every reload of the agent, since they belong to no runner. Before each step the
-- agent is loaded again where the registry is another than the one it was loaded from: an edited prompt, a tool that
-- came or went count from the next step on.

local prompt = require("prompt")
local llm = require("llm")
local models = require("models")
local registry = require("registry")
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

-- Which model answers and how large its window is; nothing changes where that can not be told.
local function note_model(self)
    local model = self.context:get_config().model
    if model == self.model then
        return nil
    end
    local selection, err = llm.selection(model)
    if err then
        return err
    end
    self.model, self.scripted, self.window = model, selection.scripted == true, window_of(selection, model)
    return nil
end

-- The registry is asked before it is read: what changes meanwhile is seen the next time.
local function current_version()
    local version = registry.current_version()
    return version and version:id()
end

--- Loads the agent again where the registry changed since. Returns an error where it can not be loaded as it is now
-- declared; then the agent is the one that it was.
function Conversation:refresh()
    local version = current_version()
    if version == self.version then
        return nil
    end
    local runner, err = self.context:load_agent()
    if not err then
        err = note_model(self)
    end
    if err and errors.is(err, errors.CANCELED) then -- asked again at the next step
        return nil
    end
    self.version = version
    self.runner = not err and runner or self.runner
    return err
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
    local version = current_version()
    local runner, err = context:load_agent(id)
    if err then
        return nil, err
    end
    local self = setmetatable({
        context = context,
        version = version,
        runner = runner,
        messages = prompt.new(),
    }, Conversation)
    err = note_model(self)
    if err then
        return nil, err
    end
    return self
end

return conversation
