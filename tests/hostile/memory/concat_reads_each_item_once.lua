-- expect: value 50
-- limit: 5
local big, reads = ("x"):rep(1000000), 0
local t = setmetatable({}, { __index = function()
  reads = reads + 1
  return reads > 50 and big or "x"
end })
return #table.concat(t, "", 1, 50)
