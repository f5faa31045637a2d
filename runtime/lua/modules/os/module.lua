-- Lua's own time functions. Nothing else of the stock library `os` exists here.
local host = ...

local _, _, started = host.now()

local function seconds_now()
  local seconds = host.now()
  return seconds
end

return {
  platform = "wippy", -- the name that projects compare with

  time = function(spec)
    if spec == nil then
      return seconds_now()
    end
    return host.sync("make_time", spec, seconds_now())
  end,

  date = function(format, timestamp)
    if format == nil then
      format = "%c"
    end
    if timestamp == nil then
      timestamp = seconds_now()
    end
    return host.sync("show_date", format, timestamp)
  end,

  clock = function()
    local _, _, monotonic = host.now()
    return monotonic - started
  end,

  difftime = function(later, earlier)
    if type(later) ~= "number" or type(earlier) ~= "number" then
      error("os.difftime expects two numbers", 2)
    end
    return later - earlier
  end,
}
