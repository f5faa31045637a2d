-- expect: value "contained"
local co = coroutine.create(function()
  local guard <close> = setmetatable({}, { __close = function() channel.new():receive() end })
  coroutine.yield()
end)
coroutine.resume(co)
local ok, err = coroutine.close(co)
return not ok and tostring(err):find("can not wait", 1, true) and "contained" or tostring(err)
