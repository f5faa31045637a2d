-- expect: value "function function function"
local a, b = ipairs({}), pairs({})
return type(a) .. " " .. type(b) .. " " .. type(("x"):gmatch("x"))
