-- expect: contained
-- limit: 10
local done = channel.new(200)
for _ = 1, 200 do
  coroutine.spawn(function()
    host.cast("noise", ("y"):rep(200000))
    done:send(true)
  end)
end
for _ = 1, 200 do done:receive() end
return "contained"
