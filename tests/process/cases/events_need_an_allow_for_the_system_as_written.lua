-- allow: process.*
--- main
local events = require("events")
return { main = function()
  local sent, err = events.send("shop", "kind", "/")
  assert(sent == nil and err:kind() == "PermissionDenied" and err:details().resource == "shop")
  local found, refused = events.subscribe("shop.*")
  assert(found == nil and refused:details().action == "events.subscribe" and refused:details().resource == "shop.*")
  return true
end }
