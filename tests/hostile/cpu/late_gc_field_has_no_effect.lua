-- expect: value "contained"
-- limit: 5
local mt = {}
local t = setmetatable({}, mt)
mt.__gc = function() while true do end end
t = nil
for _ = 1, 200000 do local _ = {} end
return "contained"
