---@meta

---@class ctx
local ctx = {}

---@param key string
---@return any value
---@return Error? err Invalid or NotFound
function ctx.get(key) end

---@return table<string, any>
function ctx.all() end

return ctx
