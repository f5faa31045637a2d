-- expect: error Invalid at most 200000 values
local t = {}
for i = 1, 250000 do t[i] = true end
return t
