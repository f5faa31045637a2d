-- expect: error Internal uses more memory
-- limit: 5
-- jail: error Internal memory
local full = channel.new(1e6)
for index = 1, 1e7 do full:send(("x"):rep(1000) .. index) end
