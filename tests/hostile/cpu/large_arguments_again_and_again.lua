-- expect: timeout
local t = {}
for i = 1, 150000 do t[i] = i end
while true do host.cast("noise", t) end
