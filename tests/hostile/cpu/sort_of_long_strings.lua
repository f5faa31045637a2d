-- expect: timeout
local a, b, t = ("a"):rep(2000000) .. "x", ("a"):rep(2000000) .. "y", {}
for i = 1, 100000 do t[i] = i % 2 == 0 and a or b end
table.sort(t)
