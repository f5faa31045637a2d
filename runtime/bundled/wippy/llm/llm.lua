-- One way to every model: finds the model that is meant and hands the request to the host, which knows the
-- provider, the credential and the policy. What this version lacks is refused by name.

local llm_host = require("llm_host")
local security = require("security")
local models = require("models")

local llm = {}

llm.ERROR_TYPE = {
    INVALID_REQUEST = "invalid_request",
    AUTHENTICATION = "authentication_error",
    RATE_LIMIT = "rate_limit_exceeded",
    SERVER_ERROR = "server_error",
    CONTEXT_LENGTH = "context_length_exceeded",
    CONTENT_FILTER = "content_filter",
    TIMEOUT = "timeout_error",
    MODEL_ERROR = "model_error",
}

llm.FINISH_REASON = {
    STOP = "stop",
    LENGTH = "length",
    CONTENT_FILTER = "filtered",
    TOOL_CALL = "tool_call",
    ERROR = "error",
}

llm.CAPABILITY = {
    GENERATE = "generate",
    TOOL_USE = "tool_use",
    STRUCTURED_OUTPUT = "structured_output",
    EMBED = "embed",
    THINKING = "thinking",
    VISION = "vision",
    CACHING = "caching",
}

-- Options that are parts of the request; every other one belongs to the model's own options.
local REQUEST_FIELDS = { "tools", "tool_choice", "stream", "timeout", "purpose" }
local NOT_HERE = {
    provider_id = "name a model whose entry lists the provider",
    retry = "the host decides which requests are sent again",
}
local NOT_MODEL_OPTIONS = { model = true }
for _, field in ipairs(REQUEST_FIELDS) do
    NOT_MODEL_OPTIONS[field] = true
end

local function invalid(message)
    return errors.new({ kind = errors.INVALID, message = message })
end

local function messages_of(input)
    if type(input) == "string" then
        return { { role = "user", content = { { type = "text", text = input } } } }
    end
    if type(input) ~= "table" then
        return nil, invalid("Invalid prompt input format")
    end
    if type(input.build) == "function" then
        input = input:build()
    end
    local messages = input.messages or input
    if type(messages) ~= "table" or (#messages == 0 and next(messages) ~= nil) then
        return nil, invalid("Invalid prompt input format")
    end
    return messages
end

local function model_options(options)
    local result = {}
    for key, value in pairs(options) do
        if not NOT_MODEL_OPTIONS[key] then
            result[key] = value
        end
    end
    local actor = security.actor()
    if actor and result.user == nil then
        result.user = actor:id()
    end
    return result
end

local function model_of(options)
    if options == nil or options.model == nil or options.model == "" then
        return nil, invalid("Model is required in options")
    end
    for field, instead in pairs(NOT_HERE) do
        if options[field] ~= nil then
            return nil, invalid("the option `" .. field .. "` is not in this version: " .. instead)
        end
    end
    return models.resolve(options.model)
end

--- Asks the model for an answer; `input` is text, a builder, `{messages = ...}` or a list of messages.
function llm.generate(input, options)
    local model, err = model_of(options)
    if err then
        return nil, err
    end
    local messages, input_err = messages_of(input)
    if input_err then
        return nil, input_err
    end
    local request = { model = model.id, messages = messages, options = model_options(options) }
    for _, field in ipairs(REQUEST_FIELDS) do
        request[field] = options[field]
    end
    if request.tool_choice == "any" then
        request.tool_choice = "required" -- the same thing in the words of the providers
    end
    return llm_host.generate(request)
end

--- Returns which model would answer and how: {model, provider, scripted, host, credential}.
function llm.selection(reference)
    local model, err = model_of({ model = reference })
    if err then
        return nil, err
    end
    return llm_host.select({ model = model.id })
end

--- Says whether a request to the model could be sent; the provider itself is not asked.
function llm.status(options)
    local model, err = model_of(options)
    if err then
        return nil, err
    end
    local selection, select_err = llm_host.select({ model = model.id })
    if select_err then
        return { success = false, status = "unavailable", message = tostring(select_err) }
    end
    local status = selection.scripted and "scripted" or "configured"
    return { success = true, status = status, message = "", metadata = selection }
end

--- Returns the models that the caller may read, all or those with the capability.
function llm.available_models(capability)
    return models.get_all(capability)
end

--- Returns the classes of models.
function llm.get_classes()
    return models.get_classes()
end

local function refuse(name, instead)
    llm[name] = function()
        return nil, invalid("`llm." .. name .. "` is not in this version: " .. instead)
    end
end

refuse("structured_output", "ask for JSON with `llm.generate` and check it with `json.validate`")
refuse("embed", "no model that embeds can be called yet")
refuse("track_usage", "the journal holds the tokens of every request")

return llm
