-- expect: contained
-- limit: 5
local s = ("x"):rep(5000)
return #(s:gsub("(.*)", ("%1"):rep(5000)))
