-- expect: value "contained"
-- limit: 5
local ran = "contained"
local inherits = setmetatable({}, { __index = { __gc = function() ran = "a finaliser ran" end } })
for _ = 1, 200000 do setmetatable({}, inherits) end
return ran
