-- expect: error Internal uses more memory
-- jail: error Internal memory
-- limit: 5
local list
while true do local before = list list = function() return before end end
