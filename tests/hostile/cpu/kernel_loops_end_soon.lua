-- expect: timeout
local t = {}
for i = 1, 199999 do t[i] = "abcdefgh" end
while true do table.concat(t) end
