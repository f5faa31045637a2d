-- expect: timeout
local s, needle = ("a"):rep(4000000), ("a"):rep(1000000) .. "b"
while true do s:find(needle, 1, true) end
