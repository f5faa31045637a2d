--- main
return { main = function()
  assert(process.exec("app:double", "app:other", 21) == 42)
  local value, err = process.exec("app:failing", "app:processes")
  assert(value == nil and err:kind() == "Internal" and err:message():find("broken", 1, true), err)
  return true
end }
--- double
return { main = function(n) return 2 * n end }
--- failing
return { main = function() error("broken") end }
