-- expect: value "thread true"
local co, is_main = coroutine.running()
return type(co) .. " " .. tostring(getmetatable(co) == nil)
