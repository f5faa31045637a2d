-- expect: error Internal `__len`
-- limit: 5
local big, reads = ("x"):rep(1000000), 0
local t = setmetatable({}, { __len = function() return 50 end, __index = function()
  reads = reads + 1
  return reads > 50 and big or "x"
end })
return #table.concat(t)
