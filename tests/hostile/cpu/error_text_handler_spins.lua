-- expect: timeout
local odd = setmetatable({}, { __tostring = function() while true do end end })
pcall(error, odd)
print(odd)
