-- expect: value "contained"
local co = coroutine.create(function()
  local guard <close> = setmetatable({}, { __close = function() coroutine.yield(1) end })
  coroutine.yield()
end)
coroutine.resume(co)
local ok = coroutine.close(co)
return not ok and "contained" or "yielded"
