-- containment: jail
-- modules: funcs
-- jail: value "contained"
local odd = setmetatable({}, { __tostring = function() return "app:echo" end })
local ok, value = pcall(funcs.call, odd)
return ok and value and "called" or "contained"
