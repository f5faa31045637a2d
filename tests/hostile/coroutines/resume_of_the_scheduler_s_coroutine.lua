-- expect: value "cannot resume non-suspended coroutine"
local co = coroutine.spawn(function() channel.new():receive() end)
local _, err = coroutine.resume(co)
return err
