-- wants: make the host hold a huge result
local list = {}
for i = 1, 20 do list[i] = ("x"):rep(1000000) end
return list
