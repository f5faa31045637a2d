-- expect: error Internal says more than the host takes up
-- limit: 10
local list = {}
for index = 1, 60 do list[index] = index end
pcall(table.sort, list, function(a, b)
  pcall(host.cast, "noise", ("y"):rep(1e6))
  return a > b
end)
return "caught"
