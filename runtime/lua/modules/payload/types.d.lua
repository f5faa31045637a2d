---@meta

---@class payload
---@field format table<"JSON" | "YAML" | "STRING" | "BYTES" | "MSGPACK" | "LUA" | "GOLANG" | "ERROR", string>
payload = {}

---@class payload.Payload
local Payload = {}

---@return any value
---@return Error? err Internal
function Payload:data() end

---@return any value
---@return Error? err Internal
function Payload:unmarshal() end

---@return string
function Payload:get_format() end

---@param format string
---@return payload.Payload? payload
---@return Error? err Internal
function Payload:transcode(format) end

---@param value any
---@return payload.Payload
function payload.new(value) end
