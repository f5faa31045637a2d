local chunk = load("return 1") --> E0024
collectgarbage() --> E0024
local load = function() end
load()
return { main = chunk }
