-- What the messages of a builder look like when they are sent: copies, in which the result of a function is
-- always text. Images that a function returned under `_images` follow the results as a message of the user,
-- since a provider takes images from nobody else.

local json = require("json")
local llm_content = require("llm_content")

local ROLE = llm_content.ROLE
local IMAGES = "_images"
local IMAGE_NOTE = " (see image results below)"

local messages = {}

local function as_image(item)
    if type(item) ~= "table" or item.source then
        return item
    end
    if item.url then
        return llm_content.image(item.url, item.mime_type)
    end
    return llm_content.image_base64(item.mime_type or "image/png", item.data)
end

local function take_images(value, images)
    local found = value[IMAGES]
    if type(found) ~= "table" then
        return false
    end
    value[IMAGES] = nil
    for _, item in ipairs(found) do
        images[#images + 1] = as_image(item)
    end
    return true
end

-- Returns `text` as it is sent; where it is a table, or JSON that holds images, it becomes JSON without them.
local function result_text(text, images)
    local value = text
    if type(value) == "string" then
        if not value:find('"' .. IMAGES .. '"', 1, true) then
            return value
        end
        value = json.decode(value)
    end
    if type(value) ~= "table" then
        return tostring(text)
    end
    local has_images = take_images(value, images)
    local encoded = json.encode(value) or "{}"
    return has_images and encoded .. IMAGE_NOTE or encoded
end

local function prepared(message, images)
    local result = llm_content.copy(message)
    if result.role == ROLE.FUNCTION_RESULT then
        for _, part in ipairs(result.content) do
            if part.type == llm_content.CONTENT_TYPE.TEXT then
                part.text = result_text(part.text, images)
            end
        end
    end
    return result
end

local function belongs_to_calls(message)
    return message.role == ROLE.FUNCTION_CALL or message.role == ROLE.FUNCTION_RESULT
end

--- Returns the messages in `list` as they are sent; `list` is not changed.
function messages.prepare(list)
    local sent, images = {}, {}
    local function flush_images()
        if #images > 0 then
            sent[#sent + 1] = { role = ROLE.USER, content = images }
            images = {}
        end
    end
    for _, message in ipairs(list) do
        if not belongs_to_calls(message) then
            flush_images()
        end
        sent[#sent + 1] = prepared(message, images)
    end
    flush_images()
    return sent
end

return messages
