-- The roles that a message can have and the parts that its content is made of.

local content = {}

content.ROLE = {
    SYSTEM = "system",
    USER = "user",
    ASSISTANT = "assistant",
    DEVELOPER = "developer",
    FUNCTION_CALL = "function_call",
    FUNCTION_RESULT = "function_result",
    CACHE_MARKER = "cache_marker",
}

content.CONTENT_TYPE = { TEXT = "text", IMAGE = "image", DOCUMENT = "document" }

local function encoded(kind, mime_type, data)
    return { type = kind, source = { type = "base64", mime_type = mime_type, data = data } }
end

function content.text(text)
    return { type = content.CONTENT_TYPE.TEXT, text = text }
end

function content.image(url, mime_type)
    return { type = content.CONTENT_TYPE.IMAGE, source = { type = "url", url = url, mime_type = mime_type } }
end

function content.image_base64(mime_type, data)
    return encoded(content.CONTENT_TYPE.IMAGE, mime_type, data)
end

function content.document_base64(mime_type, data)
    return encoded(content.CONTENT_TYPE.DOCUMENT, mime_type, data)
end

--- Returns a copy of plain data that shares no table with it.
function content.copy(value)
    if type(value) ~= "table" then
        return value
    end
    local result = {}
    for key, item in pairs(value) do
        result[key] = content.copy(item)
    end
    return result
end

return content
