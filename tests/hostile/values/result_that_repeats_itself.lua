-- expect: error Invalid at most 200000 values
local t = { 1 }
for _ = 1, 40 do t = { t, t } end
return t
