-- expect: value "arguments of `echo`: a table that contains itself can not cross at `[1].self`"
local t = {}
t.self = t
local _, err = host.call("echo", t)
return err:message()
