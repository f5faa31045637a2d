-- expect: timeout
local function again()
  local guard <close> = setmetatable({}, { __close = function() again() end })
  while true do end
end
again()
