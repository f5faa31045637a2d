-- expect: error Internal channel expected
local ch = channel.new()
return ch.receive(errors.new("x"))
