-- expect: timeout
-- jail: killed budget
local talk = coroutine.wrap(function() while true do print(("y"):rep(1000)) coroutine.yield() end end)
while true do talk() end
