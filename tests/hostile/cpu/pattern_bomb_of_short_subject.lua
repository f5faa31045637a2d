-- expect: timeout
while true do ("a"):rep(200):find(".-.-.-b") end
