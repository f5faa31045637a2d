-- expect: error Internal more than 16 MB
-- limit: 5
local s = ("x"):rep(1000000)
local args = {}
for i = 1, 100 do args[i] = s end
return string.format(("%s"):rep(100), table.unpack(args))
