-- expect: value "false x"
local err = errors.new("x")
local ok = pcall(function() err.message = "y" end)
return tostring(ok) .. " " .. err:message()
