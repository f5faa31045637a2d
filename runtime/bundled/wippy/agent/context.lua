-- Which agent is loaded, with which tools and which model. Every change of what an agent would be drops the
-- loaded one, so that a runner is always what the context says.

local agent_compiler = require("agent_compiler")
local agent_registry = require("agent_registry")
local agent_runner = require("agent_runner")

local context = {}

local Context = {}
Context.__index = Context

local function is_list(value)
    return type(value) == "table" and value.id == nil and value.name == nil
end

local function merged(base, changes)
    local result = {}
    for _, source in ipairs({ base or {}, changes or {} }) do
        for key, value in pairs(source) do
            result[key] = value
        end
    end
    return result
end

function Context:_changed()
    self.current = nil
    return self
end

-- A part that this version lacks is told when an agent is loaded, where there is somebody to tell.
function Context:_refuse(part)
    self.refused = self.refused or part
    return self:_changed()
end

--- Adds tools to whatever agent is loaded: an id, `{id, alias?, description?, context?, schema?}` or a list.
function Context:add_tools(specs)
    for _, spec in ipairs(is_list(specs) and specs or { specs }) do
        self.added_tools[#self.added_tools + 1] = spec
    end
    return self:_changed()
end

--- Replaces the tools, or with nil takes those of the agent again.
function Context:set_active_tools(specs)
    self.active_tools = specs
    return self:_changed()
end

--- Replaces the traits, or with nil takes those of the agent again.
function Context:set_active_traits(traits)
    self.active_traits = traits
    return self:_changed()
end

function Context:add_delegates()
    return self:_refuse("delegates")
end

function Context:configure_delegate_tools()
    return self:_refuse("delegates")
end

function Context:set_memory_contract()
    return self:_refuse("memory contracts")
end

--- Sets how `update_context` merges: a function of (context, updates) that returns the new context.
function Context:set_context_merger(merger)
    self.merge = merger
    return self:_changed()
end

function Context:update_context(updates)
    self.base_context = self.merge(self.base_context, updates)
    return self:_changed()
end

function Context:_resolve(reference)
    if type(reference) == "table" then
        return reference
    end
    if reference:find(":", 1, true) then
        return agent_registry.get_by_id(reference)
    end
    return agent_registry.get_by_name(reference)
end

-- The agent as it is loaded: with the overlays in place of its own parts and the added tools behind them.
function Context:_overlaid(spec)
    local result = merged(spec)
    result.traits = self.active_traits or spec.traits
    local tools = {}
    for _, source in ipairs({ self.active_tools or spec.tools or {}, self.added_tools }) do
        for _, item in ipairs(source) do
            tools[#tools + 1] = item
        end
    end
    result.tools = tools
    return result
end

local function invalid(message)
    return errors.new({ kind = errors.INVALID, message = message })
end

--- Loads an agent: an id, a name, a spec, or nothing for the agent that was loaded last. `options`: {model}.
-- Returns a runner, or nil and an error; then no agent is loaded.
function Context:load_agent(reference, options)
    reference = reference or self.reference
    self.current = nil
    if reference == nil then
        return nil, invalid("an agent is required: an id, a name or a spec")
    end
    if self.refused then
        return nil, invalid(self.refused .. " are not in this version")
    end
    local spec, err = self:_resolve(reference)
    if err then
        return nil, err
    end
    local model = options and options.model or (reference == self.reference and self.model or nil)
    local agent, compile_err =
        agent_compiler.compile(self:_overlaid(spec), { context = self.base_context, model = model })
    if compile_err then
        return nil, compile_err
    end
    if agent.model == nil or agent.model == "" then
        return nil, invalid("agent `" .. tostring(spec.id or spec.name) .. "` names no model")
    end
    self.reference, self.model = reference, model
    self.current = agent_runner.new(agent, { enable_cache = self.enable_cache })
    return self.current
end

--- Returns the runner of the loaded agent, or nil and an error.
function Context:get_current_agent()
    if not self.current then
        return nil, invalid("No current agent")
    end
    return self.current
end

--- Loads another agent, without the tools and traits that were set for the one before.
function Context:switch_to_agent(reference, options)
    local kept = { self.added_tools, self.active_tools, self.active_traits }
    if reference ~= self.reference then
        self.added_tools, self.active_tools, self.active_traits = {}, nil, nil
    end
    local loaded, err = self:load_agent(reference, options)
    if loaded then
        return true
    end
    self.added_tools, self.active_tools, self.active_traits = kept[1], kept[2], kept[3]
    return false, err
end

--- Loads the current agent with another model.
function Context:switch_to_model(name)
    if not self.current then
        return false, invalid("No current agent to switch the model of")
    end
    local loaded, err = self:load_agent(self.reference, { model = name })
    return loaded ~= nil, err
end

--- Returns what the context holds: {agent, model, tools, context, enable_cache}.
function Context:get_config()
    local current = self.current
    return {
        agent = current and current.id or nil,
        model = current and current.agent.model or nil,
        tools = self.added_tools,
        context = self.base_context,
        enable_cache = self.enable_cache,
    }
end

--- Returns a context. `options`: {context, enable_cache, context_merger}.
function context.new(options)
    options = options or {}
    local self = setmetatable({
        base_context = options.context or {},
        enable_cache = options.enable_cache ~= false,
        merge = options.context_merger or merged,
        added_tools = {},
    }, Context)
    if options.delegate_tools and options.delegate_tools.enabled then
        self:_refuse("delegates")
    end
    if options.memory_contract then
        self:_refuse("memory contracts")
    end
    return self
end

return context
