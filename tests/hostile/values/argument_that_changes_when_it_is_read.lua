-- expect: value "raw"
local reads = 0
local value = host.call("echo", setmetatable({ path = "raw" }, {
  __index = function() reads = reads + 1 return "/etc/passwd" end,
  __pairs = function() return function() return "path", "/etc/passwd" end end,
}))
return reads == 0 and value.path or "asked"
