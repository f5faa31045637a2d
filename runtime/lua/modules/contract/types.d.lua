---@meta

---@class contract
local contract = {}

---@class contract.Method
---@field name string
---@field description? string
---@field input_schemas? table[]
---@field output_schemas? table[]

---@class contract.Contract
local Contract = {}

---@return string
function Contract:id() end

---@return contract.Method[]
function Contract:methods() end

---@param name string
---@return contract.Method? method
---@return Error? err NotFound
function Contract:method(name) end

---@return string[]? bindings
---@return Error? err
function Contract:implementations() end

---@param binding? string
---@param context? table
---@param options? table
---@return table? instance
---@return Error? err
function Contract:open(binding, context, options) end

---@param values table
---@return contract.Contract? contract
---@return Error? err
function Contract:with_context(values) end

---@param options table
---@return contract.Contract
function Contract:with_options(options) end

---@param actor security.Actor
---@return contract.Contract? contract
---@return Error? err
function Contract:with_actor(actor) end

---@param scope security.Scope
---@return contract.Contract? contract
---@return Error? err
function Contract:with_scope(scope) end

---@param id string
---@return contract.Contract? contract
---@return Error? err
function contract.get(id) end

---@param binding string
---@param context? table
---@param options? table
---@return table? instance
---@return Error? err
function contract.open(binding, context, options) end

---@param id string
---@return string[]? bindings
---@return Error? err
function contract.find_implementations(id) end

---@param instance table
---@param id string
---@return boolean
function contract.is(instance, id) end

return contract
