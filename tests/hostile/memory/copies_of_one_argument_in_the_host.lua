-- What waits in the host is held in the task's memory too, and so bounded by that.
-- expect: error Internal uses more memory
-- limit: 10
local text = ("x"):rep(4000000)
for _ = 1, 100 do
  coroutine.spawn(function() host.call("never", text) end)
end
channel.new():receive()
