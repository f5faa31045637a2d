-- expect: timeout
while true do ("("):rep(100000):find("%b()") end
