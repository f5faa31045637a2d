-- expect: timeout
local empty = channel.new(1)
while true do channel.select({ empty:case_receive(), default = true }) end
