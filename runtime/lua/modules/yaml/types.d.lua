---@meta

---@class yaml
local yaml = {}

---@class yaml.EncodeOptions
---@field field_order? string[]
---@field sort_unordered? boolean

---@param data table
---@param options? yaml.EncodeOptions
---@return string? text
---@return Error? err Invalid or Internal
function yaml.encode(data, options) end

---@param text string
---@return any value
---@return Error? err Invalid or Internal
function yaml.decode(text) end

return yaml
