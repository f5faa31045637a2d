-- containment: jail
-- modules: funcs
-- jail: value true
local t = {}
t.self = t
local _, err = funcs.call("app:echo", t)
return err:message():find("contains itself", 1, true) ~= nil
