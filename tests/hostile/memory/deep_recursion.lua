-- expect: contained
-- limit: 5
local function deep(n) return 1 + deep(n + 1) end
return deep(1)
