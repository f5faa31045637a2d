-- expect: error Invalid at most 16 MB
local s = ("x"):rep(1000000)
local t = {}
for i = 1, 20 do t[i] = s end
return t
