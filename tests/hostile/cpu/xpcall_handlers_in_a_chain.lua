-- expect: timeout
local function again() return xpcall(error, again) end
while true do xpcall(error, again) end
