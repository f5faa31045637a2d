-- modules: json
local json = require("json") --> W0006
local unused = 1 --> W0004
local written --> W0004
written = 2
local _ignored, used = 1, 2
local function helper(a, b) --> W0004 W0005
  return a
end
if used then --> W0001
end
for _, each in ipairs({}) do --> W0004 W0001
end
if used == used then --> W0003
  total = 1 --> W0002
end
function exposed() end --> W0002
do
  local used = 3 --> W0007
  print(used)
end
while used < 3 do used = used + 1 end
local value <close> = setmetatable({}, { __close = function() end })
return { main = function(self) return total end }
