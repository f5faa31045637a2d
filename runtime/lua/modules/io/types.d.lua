---@meta

---@class io
local io = {}

---@param ... any
---@return boolean? ok
---@return Error? err Unavailable
function io.write(...) end

---@param ... any
---@return boolean? ok
---@return Error? err Unavailable
function io.print(...) end

---@param ... any
---@return boolean? ok
---@return Error? err Unavailable
function io.eprint(...) end

---@return boolean? ok
---@return Error? err Unavailable
function io.flush() end

---@param prompt? string
---@return string? line
---@return Error? err Unavailable or Canceled
function io.readline(prompt) end

---@param count? integer
---@return string? bytes
---@return Error? err Unavailable
function io.read(count) end

---@param enable? boolean
---@return boolean? ok
---@return Error? err Unavailable
function io.raw(enable) end

---@return boolean
function io.is_terminal() end

---@return string[]
function io.args() end

return io
