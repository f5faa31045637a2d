-- expect: contained
-- jail: killed wall_clock
-- limit: 1
local function grow(...) return grow(..., ...) end
local function more(...) return more(1, ...) end
pcall(grow, 1)
return pcall(more) and "grew" or "contained"
