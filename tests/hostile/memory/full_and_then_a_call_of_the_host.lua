-- expect: contained
-- limit: 5
local keep = {}
pcall(function() for i = 1, 1e7 do keep[i] = { i } end end)
return host.sync("echo", ("x"):rep(100000))
