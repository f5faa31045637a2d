---@meta

---@class events
local events = {}

---@class events.Subscription
local Subscription = {}

---@return channel
function Subscription:channel() end

---@return boolean
function Subscription:close() end

---@param system string
---@param kind string
---@param path string
---@param data? any
---@return boolean? ok
---@return Error? err
function events.send(system, kind, path, data) end

---@param system string
---@param kind? string
---@return events.Subscription? subscription
---@return Error? err
function events.subscribe(system, kind) end

return events
