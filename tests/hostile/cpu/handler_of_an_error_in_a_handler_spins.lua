-- expect: timeout
xpcall(function() xpcall(error, function() error("again") end) end, function() while true do end end)
