-- expect: value {"path": "raw"}
local reads = 0
return setmetatable({ path = "raw" }, {
  __index = function() reads = reads + 1 return reads > 1 and "/etc/passwd" or "fine" end,
  __pairs = function() return function() return nil end end,
  __len = function() return 1000000 end,
})
