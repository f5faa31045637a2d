-- From the declaration of an agent to what a runner needs. What an agent asks for and this version lacks is
-- refused by name: an agent that silently lost a part of itself would be another agent.

local agent_tool_list = require("agent_tool_list")
local agent_traits = require("agent_traits")

local compiler = {}

local NOT_HERE = {
    delegates = "delegates",
    memory_contract = "a memory contract",
}
local NOT_IN_TRAITS = {
    build_func_id = "a build function",
    prompt_func_id = "a prompt function",
    step_func_id = "a step function",
    delegates = "delegates",
    tool_wrappers = "tool wrappers",
    bindings = "bindings",
    behaviors = "behaviours",
}

local function is_given(value)
    return value ~= nil and not (type(value) == "table" and next(value) == nil)
end

local function refuse(subject, part, field)
    local message = ("%s has %s, which is not in this version: remove `%s`"):format(subject, part, field)
    return errors.new({ kind = errors.INVALID, message = message })
end

local function check_spec(spec)
    if type(spec) ~= "table" then
        return errors.new({ kind = errors.INVALID, message = "an agent spec must be a map" })
    end
    for field, part in pairs(NOT_HERE) do
        if is_given(spec[field]) then
            return refuse("agent `" .. tostring(spec.id or spec.name) .. "`", part, field)
        end
    end
    return nil
end

local function resolve_trait(item)
    local reference = type(item) == "table" and item.id or item
    local trait, err = agent_traits.resolve(tostring(reference))
    if err then
        return nil, err
    end
    for field, part in pairs(NOT_IN_TRAITS) do
        if is_given(trait[field]) then
            return nil, refuse("trait `" .. trait.id .. "`", part, field)
        end
    end
    return trait, nil
end

-- Returns the traits with the context that each was given.
local function resolve_traits(items)
    local found = {}
    for index, item in ipairs(items or {}) do
        local trait, err = resolve_trait(item)
        if err then
            return nil, err
        end
        found[index] = { trait = trait, context = type(item) == "table" and item.context or nil }
    end
    return found
end

local function system_prompt(spec, traits)
    local parts = {}
    local function add(text)
        if type(text) == "string" and text ~= "" then
            parts[#parts + 1] = text
        end
    end
    add(spec.prompt)
    for _, item in ipairs(traits) do
        add(item.trait.prompt)
    end
    return table.concat(parts, "\n\n")
end

local function collect_tools(spec, traits, base_context)
    local tools, missing = {}, {}
    local function add(items, ...)
        local context = agent_tool_list.merged(base_context, ...)
        context.agent_id = spec.id
        for _, item in ipairs(agent_tool_list.add(tools, items, context)) do
            missing[#missing + 1] = item
        end
    end
    for _, item in ipairs(traits) do
        add(item.trait.tools, item.trait.context, item.context, spec.context)
    end
    add(spec.tools, spec.context)
    return tools, missing
end

--- Returns the compiled agent: the spec's own fields, `prompt` with that of its traits, `tools` in the order of
-- their names, and `missing_tools`, a list of {id, error}. `options`: {context, model}.
function compiler.compile(spec, options)
    local err = check_spec(spec)
    if err then
        return nil, err
    end
    local traits, traits_err = resolve_traits(spec.traits)
    if traits_err then
        return nil, traits_err
    end
    local base_context = options and options.context
    local tools, missing = collect_tools(spec, traits, base_context)
    return {
        id = spec.id,
        name = spec.name,
        title = spec.title,
        description = spec.description,
        prompt = system_prompt(spec, traits),
        model = options and options.model or spec.model,
        max_tokens = spec.max_tokens,
        temperature = spec.temperature,
        thinking_effort = spec.thinking_effort,
        memory = spec.memory or {},
        start_prompts = spec.start_prompts,
        context = agent_tool_list.merged(base_context, spec.context),
        tools = agent_tool_list.sorted(tools),
        missing_tools = missing,
    }
end

return compiler
