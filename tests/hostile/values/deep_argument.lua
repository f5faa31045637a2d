-- expect: value true
local t = {}
for _ = 1, 1000 do t = { t } end
local _, err = host.call("echo", t)
return err:message():find("at most 64 deep", 1, true) ~= nil
