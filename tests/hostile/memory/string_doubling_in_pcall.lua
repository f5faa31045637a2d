-- expect: contained
-- limit: 5
local keep = {}
while true do pcall(function() local s = ("x"):rep(1000000) keep[#keep + 1] = s .. #keep end) end
