-- expect: error Internal uses more memory
-- jail: error Internal memory
-- limit: 5
local t = {}
while true do pcall(function() for i = 1, 1e6 do t[#t + 1] = { i } end end) end
