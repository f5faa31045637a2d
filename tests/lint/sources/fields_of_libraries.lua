-- imports: lib=app:lib, open=app:open, grown=app:grown
local lib = require("lib")
lib.hello("you")
lib.helo("you") --> E0025
open.anything()
grown.extra = function() end
grown.extra()
grown.other()
return { main = lib.hello }
