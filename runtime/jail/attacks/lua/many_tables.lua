-- wants: take all memory with tables
local all = {}
for i = 1, 1e10 do all[i] = {i} end
return "it has them"
