---@meta

---@class security
local security = {}

---@alias security.Result "allow" | "deny" | "undefined"

---@class security.Actor
local Actor = {}

---@return string
function Actor:id() end

---@return table
function Actor:meta() end

---@class security.Policy
local Policy = {}

---@return string
function Policy:id() end

---@param actor security.Actor
---@param action string
---@param resource string
---@param meta? table
---@return security.Result? result
---@return Error? err
function Policy:evaluate(actor, action, resource, meta) end

---@class security.Scope
local Scope = {}

---@param policy security.Policy
---@return security.Scope? scope
---@return Error? err PermissionDenied
function Scope:with(policy) end

---@param policy security.Policy | string | { ns: string, name: string }
---@return security.Scope? scope
---@return Error? err PermissionDenied
function Scope:without(policy) end

---@param actor security.Actor
---@param action string
---@param resource string
---@param meta? table
---@return security.Result? result
---@return Error? err
function Scope:evaluate(actor, action, resource, meta) end

---@param policy security.Policy | string | { ns: string, name: string }
---@return boolean
function Scope:contains(policy) end

---@return security.Policy[]
function Scope:policies() end

---@class security.TokenStore
local TokenStore = {}

---@param actor security.Actor
---@param scope security.Scope
---@param options? { expiration: string | integer, meta: table }
---@return string? token
---@return Error? err Invalid, Unavailable or Internal
function TokenStore:create(actor, scope, options) end

---@param token string
---@return security.Actor? actor
---@return security.Scope? scope
---@return Error? err Invalid or Internal
function TokenStore:validate(token) end

---@param token string
---@return boolean? done
---@return Error? err Invalid or Internal
function TokenStore:revoke(token) end

---@return boolean
function TokenStore:close() end

---@return security.Actor?
function security.actor() end

---@return security.Scope?
function security.scope() end

---@param action string
---@param resource string
---@param meta? table
---@return boolean
function security.can(action, resource, meta) end

---@param id string
---@param meta? table
---@return security.Actor
function security.new_actor(id, meta) end

---@param policies? security.Policy[]
---@return security.Scope
function security.new_scope(policies) end

---@param id string
---@return security.Policy? policy
---@return Error? err Invalid or Internal
function security.policy(id) end

---@param id string
---@return security.Scope? scope
---@return Error? err Invalid or Internal
function security.named_scope(id) end

---@param id string
---@return security.TokenStore? tokens
---@return Error? err NotFound
function security.token_store(id) end

return security
