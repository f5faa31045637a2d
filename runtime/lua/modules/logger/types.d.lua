---@meta

---@class logger.Logger
local logger = {}

---@param message string
---@param fields? table
function logger:debug(message, fields) end

---@param message string
---@param fields? table
function logger:info(message, fields) end

---@param message string
---@param fields? table
function logger:warn(message, fields) end

---@param message string
---@param fields? table
function logger:error(message, fields) end

---@param fields table
---@return logger.Logger
function logger:with(fields) end

---@param name string
---@return logger.Logger? logger
---@return Error? err Invalid
function logger:named(name) end

return logger
