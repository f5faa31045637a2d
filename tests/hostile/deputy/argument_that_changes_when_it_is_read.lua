-- containment: jail
-- modules: funcs
-- jail: value [{"id": "app:echo"}, {"path": "raw"}]
return funcs.call("app:echo", setmetatable({ path = "raw" }, {
  __index = function() return "/etc/passwd" end,
  __pairs = function() return function() return "path", "/etc/passwd" end end,
}))
