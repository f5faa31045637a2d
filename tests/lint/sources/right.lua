-- modules: json time
-- imports: lib=app:lib
local json, time = require("json"), require("time")
local lib = require("lib")

local state = { count = 0 }

function state:grow(by)
  self.count = self.count + (by or 1)
  return self
end

local function walk(list, visit)
  for index, each in ipairs(list) do
    if visit(each, index) == false then
      return index
    end
  end
end

local function main(...)
  local ok, message = pcall(error, "x")
  local found = walk({ ... }, function(each) return each ~= nil end)
  repeat
    local done = state:grow().count > 3
  until done
  print(json.encode({ ok, message, found, lib.hello("a") }), time.now():unix(), _VERSION, os.time())
  return string.format("%d", #table.pack(...)), math.floor(1.5), utf8.len("ä"), channel.new(1), errors.new("x")
end

return { main = main }
