-- expect: error Internal uses more memory
-- jail: error Internal memory
-- limit: 5
local list = {}
while true do list[#list + 1] = coroutine.create(function() coroutine.yield() end) coroutine.resume(list[#list]) end
