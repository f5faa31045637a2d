-- expect: error Internal uses more memory
-- limit: 5
while true do coroutine.spawn(function() channel.new():receive() end) end
