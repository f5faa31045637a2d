-- expect: timeout
coroutine.spawn(function() while true do end end)
channel.new():receive()
