-- expect: value "false false false"
local ch = channel.new()
local a = pcall(rawset, ch, "send", print)
local b = pcall(function() ch.send = print end)
local c = pcall(setmetatable, ch, {})
return tostring(a) .. " " .. tostring(b) .. " " .. tostring(c)
