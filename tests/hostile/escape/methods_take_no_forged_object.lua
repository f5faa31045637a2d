-- expect: error Internal channel expected
local ch = channel.new()
return ch.receive({ capacity = 1, values = {}, first = 1, last = 0 })
