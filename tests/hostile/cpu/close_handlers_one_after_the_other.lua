-- expect: timeout
local function spin() while true do end end
local a <close> = setmetatable({}, { __close = spin })
local b <close> = setmetatable({}, { __close = spin })
local c <close> = setmetatable({}, { __close = spin })
spin()
