---@meta

---@class process
---@field event { CANCEL: string, EXIT: string, LINK_DOWN: string }
process = {}

---@class process.Message
local Message = {}

---@return string
function Message:topic() end

---@return string
function Message:from() end

---@return payload.Payload
function Message:payload() end

---@return string
function process.id() end

---@return string
function process.pid() end

---@param destination string PID
---@param topic string
---@param ... any
---@return boolean? ok
---@return Error? err Invalid, NotFound or PermissionDenied
function process.send(destination, topic, ...) end

---@return channel
function process.inbox() end

---@return channel
function process.events() end

---@param topic string
---@param options? { message: boolean? }
---@return channel? channel
---@return Error? err Invalid
function process.listen(topic, options) end

---@param channel channel
---@return boolean
function process.unlisten(channel) end
