---@meta

---@class funcs
local funcs = {}

---@class funcs.Future
local Future = {}

---@return channel
function Future:response() end

---@return channel
function Future:channel() end

---@return boolean
function Future:is_complete() end

---@return boolean
function Future:is_canceled() end

---@return payload.Payload? payload
---@return Error? err
function Future:result() end

---@return Error? err
---@return boolean failed
function Future:error() end

---@return boolean
function Future:cancel() end

---@class funcs.Executor
local Executor = {}

---@param values table<string, any>
---@return funcs.Executor? executor
---@return Error? err Invalid
function Executor:with_context(values) end

---@param actor security.Actor
---@return funcs.Executor
function Executor:with_actor(actor) end

---@param scope security.Scope
---@return funcs.Executor
function Executor:with_scope(scope) end

---@param options table
---@return funcs.Executor? executor
---@return Error? err Invalid
function Executor:with_options(options) end

---@param id string
---@param ... any
---@return any result
---@return Error? err
function Executor:call(id, ...) end

---@param id string
---@param ... any
---@return funcs.Future? future
---@return Error? err
function Executor:async(id, ...) end

---@param id string namespace:name
---@param ... any
---@return any result
---@return Error? err
function funcs.call(id, ...) end

---@param id string namespace:name
---@param ... any
---@return funcs.Future? future
---@return Error? err Invalid
function funcs.async(id, ...) end

---@return funcs.Executor
function funcs.new() end

return funcs
