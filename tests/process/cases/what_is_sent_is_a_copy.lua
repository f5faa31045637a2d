--- main
return { main = function()
  local back = process.listen("back")
  local pid = assert(process.spawn("app:changes", "app:processes", process.pid()))
  local value = { list = { 1, 2 }, empty = {} }
  for _ = 1, 2 do -- the second goes by the kernel alone
    assert(process.send(pid, "value", value))
    assert(back:receive().list[1] == "changed")
    assert(value.list[1] == 1)
  end
  local sent, err = process.send(pid, "value", { f = print })
  assert(not sent and err:kind() == "Invalid", tostring(err))
  local _, empty = process.send(pid, "value", setmetatable({ list = {} }, { __index = error }))
  assert(empty == nil)
  return true
end }
--- changes
return { main = function(to)
  local values = process.listen("value")
  while true do
    local value = values:receive()
    value.list[1] = "changed"
    process.send(to, "back", value)
  end
end }
