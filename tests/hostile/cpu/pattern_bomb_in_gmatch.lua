-- expect: timeout
for _ in ("a"):rep(20000):gmatch("(.-)(.-)(.-)b") do end
