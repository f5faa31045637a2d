-- containment: jail
-- jail: value "PermissionDenied"
local _, err = process.send(process.pid(), "topic", 1)
return err:kind()
