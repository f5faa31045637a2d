---@meta

---@class env
local env = {}

---@param key string
---@return string? value
---@return Error? err Invalid, NotFound or PermissionDenied
function env.get(key) end

---@param key string
---@param value string
---@return boolean? ok
---@return Error? err Invalid or PermissionDenied
function env.set(key, value) end

---@return table<string, string>? variables
---@return Error? err
function env.get_all() end

return env
