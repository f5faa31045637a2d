-- expect: timeout
while true do ("a"):rep(3000):find("(a*)(a*)%1%2b") end
