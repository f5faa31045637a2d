-- expect: error Internal deadlock: all coroutines blocked with no pending operations (threads=3)
local ch = channel.new()
for _ = 1, 2 do coroutine.spawn(function() ch:receive() end) end
ch:receive()
