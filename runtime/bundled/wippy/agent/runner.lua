-- One step of a compiled agent: its own prompt and the conversation go to the model, the answer comes back with
-- every call tied to the entry that it means. The conversation belongs to the caller and is not changed.

local llm = require("llm")
local prompt = require("prompt")

local runner = {}

local DEFAULT_MAX_TOKENS = 512

local Runner = {}
Runner.__index = Runner

local function system_text(agent)
    if #agent.memory == 0 then
        return agent.prompt
    end
    return agent.prompt .. "\n\n## Your memory contains:\n" .. table.concat(agent.memory, "\n")
end

-- The agent's prompt stays a message of its own, so that it is the same text in each step.
local function messages_for(agent, conversation, cached)
    local builder = prompt.new()
    builder:add_system(system_text(agent))
    if cached then
        builder:add_cache_marker(agent.id)
    end
    local messages = builder:get_messages()
    for _, message in ipairs(conversation:get_messages()) do
        messages[#messages + 1] = message
    end
    return messages
end

local function offered(tools)
    local list = {}
    for index, tool in ipairs(tools) do
        list[index] = {
            name = tool.name,
            description = tool.description,
            schema = tool.schema,
            registry_id = tool.registry_id,
        }
    end
    return list
end

function Runner:_options(options)
    local agent = self.agent
    local result = {
        model = agent.model,
        max_tokens = agent.max_tokens or DEFAULT_MAX_TOKENS,
        temperature = agent.temperature,
        stream = options.stream_target,
    }
    if (agent.thinking_effort or 0) > 0 then
        result.thinking_effort = agent.thinking_effort
    end
    if #agent.tools > 0 then
        result.tools = offered(agent.tools)
        result.tool_choice = options.tool_call
    end
    return result
end

function Runner:_count(tokens)
    local totals = self.total_tokens
    for name in pairs(totals) do
        totals[name] = totals[name] + ((tokens or {})[name .. "_tokens"] or 0)
    end
end

function Runner:_tied(calls, context)
    local tied = {}
    for index, call in ipairs(calls) do
        local item = {}
        for name, value in pairs(call) do
            item[name] = value
        end
        local tool = self.by_name[call.name]
        if tool then
            item.registry_id = tool.registry_id
            item.context = context(tool)
        end
        tied[index] = item
    end
    return tied
end

-- What a tool gets as its context: its own, and over it what this step adds.
local function context_with(added)
    return function(tool)
        local result = {}
        for _, source in ipairs({ tool.context or {}, added or {} }) do
            for key, value in pairs(source) do
                result[key] = value
            end
        end
        return result
    end
end

-- The last call of a cut answer may lack its end, so none of them is run; the host drops them and says so.
local function was_cut(answer)
    local calls = answer.tool_calls
    if calls and #calls > 0 and answer.finish_reason == llm.FINISH_REASON.LENGTH then
        return true
    end
    return answer.metadata ~= nil and answer.metadata.truncated == true
end

--- Takes one step. `options`: {context, stream_target = {reply_to, topic}, tool_call}.
-- Returns {result, tokens, finish_reason, metadata, tool_calls?, truncated?}; `tool_calls` carry `registry_id`
-- and `context`, neither where the model named a tool that it was not given.
function Runner:step(conversation, options)
    options = options or {}
    local messages = messages_for(self.agent, conversation, self.cached)
    local answer, err = llm.generate(messages, self:_options(options))
    if err then
        return nil, err
    end
    local response = {
        result = answer.result or "",
        tokens = answer.tokens,
        finish_reason = answer.finish_reason,
        metadata = answer.metadata,
    }
    local calls = answer.tool_calls
    if was_cut(answer) then
        response.truncated = true
        return response
    end
    self:_count(answer.tokens)
    if calls and #calls > 0 then
        response.tool_calls = self:_tied(calls, context_with(options.context))
    end
    return response
end

--- Returns {id, name, total_tokens = {prompt, completion, thinking, total}}.
function Runner:get_stats()
    local totals = {}
    for name, value in pairs(self.total_tokens) do
        totals[name] = value
    end
    return { id = self.agent.id, name = self.agent.name, total_tokens = totals }
end

--- Returns a runner of a compiled agent; `options`: {enable_cache}.
function runner.new(agent, options)
    local by_name = {}
    for _, tool in ipairs(agent.tools) do
        by_name[tool.name] = tool
    end
    return setmetatable({
        agent = agent,
        id = agent.id,
        name = agent.name,
        by_name = by_name,
        cached = not (options and options.enable_cache == false),
        total_tokens = { prompt = 0, completion = 0, thinking = 0, total = 0 },
    }, Runner)
end

return runner
