-- wants: take all memory with coroutines
local all = {}
for i = 1, 1e10 do all[i] = coroutine.create(function() end) end
return "it has them"
