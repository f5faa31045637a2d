-- expect: contained
-- jail: killed wall_clock
local function deep() return 1 + deep() end
while true do pcall(deep) end
