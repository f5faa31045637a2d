-- expect: timeout
local metatable = { __lt = function() while true do end end }
table.sort({ setmetatable({}, metatable), setmetatable({}, metatable) })
