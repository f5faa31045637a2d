-- expect: error Internal `__gc` is not available in the sandbox
local metatable = {}
metatable.__gc = function() while true do end end
setmetatable(metatable, metatable)
