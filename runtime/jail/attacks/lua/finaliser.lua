-- wants: run code after its end
local guard = setmetatable({}, {__gc = function() while true do end end})
return guard and "it is armed"
