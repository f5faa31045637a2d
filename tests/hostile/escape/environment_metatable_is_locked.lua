-- expect: value "false false"
local ok = pcall(setmetatable, _G, {})
return tostring(getmetatable(_G)) .. " " .. tostring(ok)
