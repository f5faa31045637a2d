-- expect: contained
local function deep() return coroutine.wrap(deep)() end
return pcall(deep) and "no limit" or "contained"
