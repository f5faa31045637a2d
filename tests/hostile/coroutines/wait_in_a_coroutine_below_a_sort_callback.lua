-- expect: error Internal can not wait inside a callback
local ch = channel.new()
table.sort({ 3, 2, 1 }, function() coroutine.wrap(function() ch:receive() end)() return false end)
