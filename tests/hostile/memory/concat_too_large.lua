-- expect: error Internal more than 16 MB
-- limit: 5
local piece, t = ("x"):rep(1000000), {}
for i = 1, 100 do t[i] = piece end
return table.concat(t)
