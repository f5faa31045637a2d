-- expect: timeout
for _ = 0, math.huge do end
