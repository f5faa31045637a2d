-- expect: value "a function of the runtime failed"
local _, err = host.sync("raise")
return err:message()
