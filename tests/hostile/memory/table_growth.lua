-- expect: error Internal uses more memory
-- jail: error Internal memory
-- limit: 5
local t = {}
for i = 1, 1e9 do t[i] = { i } end
