-- expect: timeout
local function deep(n)
  if n == 0 then while true do end end
  return coroutine.wrap(deep)(n - 1)
end
deep(50)
