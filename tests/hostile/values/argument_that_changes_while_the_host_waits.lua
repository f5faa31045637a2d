-- expect: value "as it was"
local given = { path = "as it was" }
local done = channel.new(1)
coroutine.spawn(function() done:send(host.call("echo", given)) end)
coroutine.spawn(function() given.path = "/etc/passwd" end)
return done:receive().path
