-- expect: value "contained"
local a, b = {}, {}
setmetatable(a, { __index = b })
setmetatable(b, { __index = a })
local ok = pcall(function() return a.nothing end)
return ok and "found" or "contained"
