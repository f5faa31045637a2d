-- expect: value "false userdata"
local ch = channel.new()
return tostring(getmetatable(ch)) .. " " .. type(ch)
