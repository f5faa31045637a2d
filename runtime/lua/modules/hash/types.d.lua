---@meta

---@class hash
local hash = {}

---@param data string
---@param raw? boolean bytes instead of hex
---@return string? digest
---@return Error? err Invalid
function hash.md5(data, raw) end

---@param data string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.sha1(data, raw) end

---@param data string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.sha256(data, raw) end

---@param data string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.sha512(data, raw) end

---@param data string
---@param secret string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.hmac_md5(data, secret, raw) end

---@param data string
---@param secret string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.hmac_sha1(data, secret, raw) end

---@param data string
---@param secret string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.hmac_sha256(data, secret, raw) end

---@param data string
---@param secret string
---@param raw? boolean
---@return string? digest
---@return Error? err
function hash.hmac_sha512(data, secret, raw) end

---@param data string
---@return integer? hash
---@return Error? err
function hash.fnv32(data) end

---@param data string
---@return integer? hash
---@return Error? err
function hash.fnv64(data) end

return hash
