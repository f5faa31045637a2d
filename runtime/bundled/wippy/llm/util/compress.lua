-- Shortens a text of any length to a number of characters. What fits into the model goes in one request; a
-- longer text is cut into chunks that are shortened one by one and joined. The result is never longer than asked.

local text = require("text")
local models = require("models")
local llm_summary = require("llm_summary")

local compress = {}

local CHARS_PER_TOKEN = 4
local RESERVED_TOKENS = 500 -- for the instructions
local SAFETY = 0.9
local MIN_TARGET = 50
local MAX_ROUNDS = 3 -- how often joined parts may themselves be cut into chunks

local DEFAULTS = {
    chunk_share = 0.6, -- of what fits into the model
    chunk_overlap = 200,
    max_attempts = 2, -- refinements
    temperature = 0.2,
    chunk_temperature = 0.1,
    refine_temperature = 0.1,
    tolerance = 0.05,
    min_tolerance = 10,
}

local config = {}

--- Changes settings; a name that does not exist is refused.
function compress.configure(changes)
    for name, value in pairs(changes or {}) do
        if DEFAULTS[name] == nil or type(value) ~= "number" or value < 0 then
            return nil, errors.new({ kind = errors.INVALID, message = "invalid setting `" .. tostring(name) .. "`" })
        end
    end
    for name, value in pairs(changes or {}) do
        config[name] = value
    end
    return compress.get_config()
end

function compress.get_config()
    local result = {}
    for name, value in pairs(DEFAULTS) do
        result[name] = config[name] == nil and value or config[name]
    end
    return result
end

local function invalid(message)
    return errors.new({ kind = errors.INVALID, message = message })
end

local function info_of(model, given)
    if given then
        return given
    end
    local info, err = models.get_by_name(model)
    if err then
        return nil, err
    end
    if not info then
        return nil, errors.new({ kind = errors.NOT_FOUND, message = "model `" .. model .. "` not found" })
    end
    if not (info.max_tokens and info.output_tokens) then
        return nil, invalid("model `" .. model .. "` does not say its `max_tokens` and `output_tokens`")
    end
    return info
end

local function usable_chars(info)
    return math.floor((info.max_tokens - info.output_tokens - RESERVED_TOKENS) * CHARS_PER_TOKEN * SAFETY)
end

local function check(model, content, target)
    if type(model) ~= "string" or model == "" then
        return invalid("a model is required")
    end
    if type(content) ~= "string" or content == "" then
        return invalid("content is required")
    end
    if type(target) ~= "number" or target <= 0 then
        return invalid("the target must be a positive number of characters")
    end
    if target < MIN_TARGET then
        return invalid("the target must be at least " .. MIN_TARGET .. " characters")
    end
    return nil
end

local function check_room(model, info, target)
    local limit = math.floor(info.output_tokens * CHARS_PER_TOKEN * 0.8)
    if target > limit then
        return invalid(("the target is over the %d characters that `%s` can safely write"):format(limit, model))
    end
    if usable_chars(info) < MIN_TARGET then
        return invalid("model `" .. model .. "` has no room for any content")
    end
    return nil
end

-- Cuts at a whole character of UTF-8.
local function cut(content, size)
    if #content <= size then
        return content
    end
    local stop = size
    while stop > 0 and content:byte(stop + 1) & 0xC0 == 0x80 do
        stop = stop - 1
    end
    return content:sub(1, stop)
end

local function chunks_of(content, settings, usable)
    local size = math.max(MIN_TARGET, math.floor(usable * settings.chunk_share))
    local splitter, err = text.splitter.recursive({
        chunk_size = size,
        chunk_overlap = math.floor(math.min(settings.chunk_overlap, size / 4)),
    })
    if err then
        return nil, err
    end
    return splitter:split_text(content)
end

-- Returns a text that fits into the model: the content, or its shortened parts.
local function reduce(job, content, round)
    if #content <= job.usable then
        return content, nil
    end
    if round > MAX_ROUNDS then
        return nil, invalid("the content is too long for model `" .. job.model .. "`, even in parts")
    end
    local chunks, err = chunks_of(content, job.settings, job.usable)
    if err then
        return nil, err
    end
    local part_target = math.max(MIN_TARGET, math.floor(2 * job.target / #chunks))
    local parts = {}
    for index, chunk in ipairs(chunks) do
        local part, part_err =
            llm_summary.write(job.model, job.info, "part", chunk, part_target, job.settings.chunk_temperature)
        if part_err then
            return nil, part_err
        end
        parts[index] = part
    end
    job.parts = #parts
    return reduce(job, table.concat(parts, "\n\n"), round + 1)
end

-- A text that is shorter than asked is no fault: only one that is too long is refined.
local function refine(job, result)
    local settings = job.settings
    local slack = math.max(settings.min_tolerance, job.target * settings.tolerance)
    for _ = 1, settings.max_attempts do
        if #result <= job.target + slack then
            break
        end
        local shorter, err =
            llm_summary.write(job.model, job.info, "again", result, job.target, settings.refine_temperature)
        if err then
            return nil, err
        end
        result = shorter
    end
    return cut(result, job.target)
end

local function settings_for(options)
    local settings = compress.get_config()
    for name, value in pairs(options or {}) do
        if settings[name] ~= nil then
            settings[name] = value
        end
    end
    if options and options.skip_refinement then
        settings.max_attempts = 0
    end
    return settings
end

--- Returns `content` in at most `target_chars` bytes; content that is short enough comes back unchanged.
-- `options`: temperature, chunk_overlap, max_attempts, skip_refinement. `info` stands for the model's entry.
function compress.to_size(model, content, target_chars, options, info)
    local err = check(model, content, target_chars)
    if err then
        return nil, err
    end
    local model_info, info_err = info_of(model, info)
    if info_err then
        return nil, info_err
    end
    local target = math.floor(target_chars)
    err = check_room(model, model_info, target)
    if err then
        return nil, err
    end
    if #content <= target then
        return content
    end
    local job = {
        model = model,
        info = model_info,
        target = target,
        settings = settings_for(options),
        usable = usable_chars(model_info),
    }
    local material, reduce_err = reduce(job, content, 1)
    if reduce_err then
        return nil, reduce_err
    end
    local goal = job.parts and "join" or "whole"
    local result, write_err =
        llm_summary.write(model, model_info, goal, material, target, job.settings.temperature)
    if write_err then
        return nil, write_err
    end
    return refine(job, result)
end

--- Returns how the content would be shortened: {content_chars, usable_chars, strategy = "direct" | "map_reduce"}.
function compress.get_stats(model, content, info)
    local model_info, err = info_of(model, info)
    if err then
        return nil, err
    end
    local usable = usable_chars(model_info)
    local strategy = #content <= usable and "direct" or "map_reduce"
    return { content_chars = #content, usable_chars = usable, strategy = strategy }
end

--- Returns whether `to_size` would take the arguments, and if not, why.
function compress.can_compress(model, content, target_chars, info)
    local err = check(model, content, target_chars)
    if err then
        return false, err
    end
    local model_info, info_err = info_of(model, info)
    if info_err then
        return false, info_err
    end
    err = check_room(model, model_info, target_chars)
    return err == nil, err
end

return compress
