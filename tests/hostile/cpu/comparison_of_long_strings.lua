-- expect: timeout
local a, b = ("a"):rep(2000000) .. "x", ("a"):rep(2000000) .. "y"
while true do local _ = a < b end
