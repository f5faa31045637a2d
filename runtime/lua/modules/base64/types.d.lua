---@meta

---@class base64
local base64 = {}

---Returns `data` in base64.
---@param data string
---@return string? encoded
---@return Error? err Invalid
function base64.encode(data) end

---Returns the bytes of a base64 text.
---@param data string
---@return string? decoded
---@return Error? err Invalid
function base64.decode(data) end

return base64
