-- modules: json system logger
local json = require("json")
local encode = json.encode
local text = json.encod({}) --> E0025
local stats = system.memory.stat() --> E0025
local fine = system.memory.stats()
local upper = string.uper("a") --> E0025
local log = logger:inf("x") --> E0025
if json.pretty then
  print(json.pretty_not) --> E0025
end
local pack = table.packed or table.pack
local shadow = { decod = true }
do
  local json = shadow
  print(json.decod)
end
local changed = require("json")
changed = shadow
print(changed.decod)
return { main = function() return encode, text, stats, fine, upper, log, pack end }
