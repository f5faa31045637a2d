---@meta

---@class uuid
local uuid = {}

---@class uuid.Info
---@field version integer
---@field variant "RFC4122" | "NCS" | "Microsoft" | "Future"
---@field timestamp? integer seconds since 1970 (versions 1 and 7)
---@field node? string hex (version 1)

---@return string
function uuid.v1() end

---@return string
function uuid.v4() end

---@return string
function uuid.v7() end

---@param namespace string a UUID
---@param name string
---@return string? id
---@return Error? err
function uuid.v3(namespace, name) end

---@param namespace string a UUID
---@param name string
---@return string? id
---@return Error? err
function uuid.v5(namespace, name) end

---@param input any
---@return boolean
function uuid.validate(input) end

---@param id string
---@return integer? version
---@return Error? err
function uuid.version(id) end

---@param id string
---@return string? variant
---@return Error? err
function uuid.variant(id) end

---@param id string
---@return uuid.Info? info
---@return Error? err
function uuid.parse(id) end

---@param id string
---@param form? "standard" | "simple" | "urn"
---@return string? id
---@return Error? err
function uuid.format(id, form) end

return uuid
