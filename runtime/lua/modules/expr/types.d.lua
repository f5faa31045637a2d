---@meta

---@class expr
local expr = {}

---@class expr.Program
local Program = {}

---@param env? table names and their values
---@return any value
---@return Error? err Internal
function Program:run(env) end

---@param expression string
---@param env? table names and their values
---@return any value
---@return Error? err Invalid or Internal
function expr.eval(expression, env) end

---@param expression string
---@param env? table examples of the names that the expression may use
---@return expr.Program? program
---@return Error? err Invalid or Internal
function expr.compile(expression, env) end

return expr
