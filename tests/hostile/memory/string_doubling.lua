-- expect: contained
-- limit: 5
local s = "x"
while true do s = s .. s end
