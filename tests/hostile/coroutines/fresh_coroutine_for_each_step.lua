-- expect: timeout
while true do coroutine.wrap(function() for _ = 1, 100 do end end)() end
