-- expect: timeout
local t = {}
for i = 1, 150000 do t[i] = i end
while true do table.insert(t, 1, 1) table.remove(t, 1) end
