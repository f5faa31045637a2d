-- expect: error Internal can not wait inside a callback
local ch = channel.new()
table.sort({ 3, 2, 1 }, function() ch:receive() return false end)
