-- expect: error Internal uses more memory
-- limit: 5
local list
while true do local before = list list = function() return before end end
