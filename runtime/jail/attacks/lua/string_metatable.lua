-- wants: change what all strings do
local all = getmetatable("")
if type(all) == "table" then
  all.__index = function() return "mine" end
  return "it changed"
end
