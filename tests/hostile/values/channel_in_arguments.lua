-- expect: value "arguments of `echo`: a `channel` can not cross at `[1].x`"
local _, err = host.call("echo", { x = channel.new() })
return err:message()
