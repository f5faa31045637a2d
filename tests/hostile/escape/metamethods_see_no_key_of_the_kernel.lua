-- expect: value "contained"
local seen = {}
local trap = setmetatable({}, { __index = function(_, key) seen[#seen + 1] = key end, __len = function() return 2 ^ 40 end })
pcall(channel.select, trap)
pcall(errors.new, trap)
pcall(host.cast, "x", trap)
for _, key in ipairs(seen) do if type(key) == "table" then return "leaks a key of the kernel" end end
return "contained"
