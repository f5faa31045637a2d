-- expect: value true
-- limit: 5
local t = {}
for index = 1, 250000 do t[index] = true end
local _, err = host.call("echo", t)
return err:message():find("at most 200000 values", 1, true) ~= nil
