---@meta

---@class crypto
local crypto = { random = {}, hmac = {}, encrypt = {}, decrypt = {}, jwt = {} }

---@param length integer
---@return string? bytes
---@return Error? err Invalid
function crypto.random.bytes(length) end

---@param length integer
---@param charset? string
---@return string? text
---@return Error? err Invalid
function crypto.random.string(length, charset) end

---@return string
function crypto.random.uuid() end

---@param key string
---@param data string
---@return string? hex
---@return Error? err Invalid
function crypto.hmac.sha256(key, data) end

---@param key string
---@param data string
---@return string? hex
---@return Error? err Invalid
function crypto.hmac.sha512(key, data) end

---@param data string
---@param key string 16, 24 or 32 bytes
---@param aad? string
---@return string? sealed
---@return Error? err Invalid
function crypto.encrypt.aes(data, key, aad) end

---@param data string
---@param key string 32 bytes
---@param aad? string
---@return string? sealed
---@return Error? err Invalid
function crypto.encrypt.chacha20(data, key, aad) end

---@param data string
---@param key string
---@param aad? string
---@return string? plain
---@return Error? err Invalid or Internal
function crypto.decrypt.aes(data, key, aad) end

---@param data string
---@param key string
---@param aad? string
---@return string? plain
---@return Error? err Invalid or Internal
function crypto.decrypt.chacha20(data, key, aad) end

---@alias crypto.Algorithm "HS256" | "HS384" | "HS512" | "RS256"

---@param claims table
---@param key string
---@param algorithm? crypto.Algorithm
---@return string? token
---@return Error? err Invalid
function crypto.jwt.encode(claims, key, algorithm) end

---@param token string
---@param key string
---@param algorithm? crypto.Algorithm
---@param require_exp? boolean
---@return table? claims
---@return Error? err Invalid or Internal
function crypto.jwt.verify(token, key, algorithm, require_exp) end

---@param password string
---@param salt string
---@param iterations integer
---@param length integer
---@param hash? "sha256" | "sha512"
---@return string? key
---@return Error? err Invalid
function crypto.pbkdf2(password, salt, iterations, length, hash) end

---@param a string
---@param b string
---@return boolean? equal
---@return Error? err Invalid
function crypto.constant_time_compare(a, b) end

return crypto
