-- expect: error Internal uses more memory
-- limit: 5
-- jail: error Internal memory
local t = {}
for index = 1, 1e8 do t[index * 1.5] = true end
