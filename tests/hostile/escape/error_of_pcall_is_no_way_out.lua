-- expect: value "string string"
local _, first = pcall(function() local x = nil; return x.y end)
local _, second = pcall(string.rep)
return type(first) .. " " .. type(second)
