-- expect: error Internal uses more memory
-- jail: error Internal memory
-- limit: 5
while true do coroutine.spawn(function() channel.new():receive() end) end
