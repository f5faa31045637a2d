-- expect: error Invalid at most 64 deep
local t = {}
for _ = 1, 100 do t = { t } end
return t
