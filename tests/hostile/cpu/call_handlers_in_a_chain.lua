-- expect: contained
local f = function() end
for _ = 1, 100000 do f = setmetatable({}, { __call = f }) end
f()
return "contained"
