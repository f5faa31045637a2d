local as = function(t) return t end
local x = 1
as {1}
as(x)
local y = as
as 'z'
return as(x) == 1
