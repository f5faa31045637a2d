-- expect: contained
-- limit: 5
local t = setmetatable({}, { __index = function(self, key) return self[key .. "x"] end })
return pcall(function() return t.a end) and "found" or "contained"
