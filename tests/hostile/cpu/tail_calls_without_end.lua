-- expect: timeout
local function again() return again() end
again()
