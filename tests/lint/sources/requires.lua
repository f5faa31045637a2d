-- modules: json
-- imports: lib=app:lib
local json = require("json")
local lib = require("lib")
local process = require("process")
local name = "time"
local time = require(name)
local uuid = require("uuid") --> E0020
local jsn = require "jsn" --> E0020
local function require_it(require)
  return require("anything")
end
return { main = function() return json, lib, process, time, uuid, jsn, require_it end }
