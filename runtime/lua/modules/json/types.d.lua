---@meta

---@class json
local json = {}

---@param value any
---@return string? text
---@return Error? err Internal
function json.encode(value) end

---@param text string
---@return any value
---@return Error? err Invalid or Internal
function json.decode(text) end

---@param schema table | string
---@param value any
---@return boolean valid
---@return Error? err Invalid
function json.validate(schema, value) end

---@param schema table | string
---@param text string
---@return boolean valid
---@return Error? err Invalid
function json.validate_string(schema, text) end

return json
