---@meta

---@class store
---@field backend { MEMORY: string, SQL: string, KV_RAFT: string, KV_CRDT: string, UNKNOWN: string }
---@field consistency { LINEARIZABLE: string, EVENTUAL: string, LOCAL: string, UNKNOWN: string }
local store = {}

---@class store.Entry
---@field key string
---@field value any
---@field version string

---@class store.Page
---@field items store.Entry[]
---@field cursor string
---@field has_more boolean

---@class store.Info
---@field id string
---@field backend string
---@field consistency string
---@field durable boolean
---@field list boolean
---@field versioned boolean
---@field conditional_put boolean
---@field ttl boolean

---@class store.Store
local Store = {}

---@param key string
---@return any value
---@return Error? err NotFound, PermissionDenied
function Store:get(key) end

---@param key string
---@return store.Entry? entry
---@return Error? err NotFound, PermissionDenied
function Store:entry(key) end

---@param key string
---@param value any plain data
---@param ttl? number seconds, 0 for no end
---@return boolean? ok
---@return Error? err
function Store:set(key, value, ttl) end

---@param key string
---@param value any plain data
---@param options? { ttl: number?, only_if_absent: boolean?, if_version: string? }
---@return store.Entry? entry
---@return Error? err AlreadyExists, Conflict
function Store:put(key, value, options) end

---@param key string
---@return boolean?
---@return Error? err
function Store:has(key) end

---@param key string
---@return boolean? deleted
---@return Error? err
function Store:delete(key) end

---@param options? { prefix: string?, after: string?, limit: integer? }
---@return store.Page? page
---@return Error? err
function Store:list(options) end

---@return store.Info? info
---@return Error? err
function Store:info() end

---@return boolean
function Store:release() end

---@param id string namespace:name
---@return store.Store? store
---@return Error? err Invalid, NotFound, PermissionDenied
function store.get(id) end

return store
