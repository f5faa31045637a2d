---@meta

---@class os
---@field platform string
os = {}

---@param fields? table year, month, day, hour, min, sec
---@return integer? seconds
---@return Error? err Invalid
function os.time(fields) end

---@param format? string
---@param seconds? number
---@return string | table | nil date
---@return Error? err Invalid
function os.date(format, seconds) end

---@return number seconds
function os.clock() end

---@param later number
---@param earlier number
---@return number seconds
function os.difftime(later, earlier) end
