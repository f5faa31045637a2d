-- expect: error Internal uses more memory
-- limit: 5
-- jail: error Internal memory
local keep = {}
for index = 1, 1e7 do
  local held = ("x"):rep(1000) .. index
  keep[index] = coroutine.wrap(function() return held end)
end
