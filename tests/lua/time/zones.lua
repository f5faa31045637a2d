local time = require("time")
local check = require("check")

local function shown(t)
  return t:format("2006-01-02 15:04:05 -0700 MST")
end

local function main()
  check.eq("UTC", time.utc:string())
  check.eq("Local", time.localtz:string())
  local new_york = time.load_location("America/New_York")
  check.eq("America/New_York", new_york:string())
  check.eq("America/New_York", tostring(new_york))
  check.eq("EST", time.fixed_zone("EST", -18000):string())

  check.eq("2024-01-15 07:00:00 -0500 EST", shown(time.date(2024, 1, 15, 12, 0, 0, 0, time.utc):in_location(new_york)))
  check.eq("2024-07-15 08:00:00 -0400 EDT", shown(time.date(2024, 7, 15, 12, 0, 0, 0, time.utc):in_location(new_york)))
  check.eq(1705341600, time.date(2024, 1, 15, 13, 0, 0, 0, new_york):unix())
  check.eq("America/New_York", time.date(2024, 1, 15, 0, 0, 0, 0, new_york):location():string())
  check.eq("UTC", time.date(2024, 1, 15, 0, 0, 0, 0, new_york):utc():location():string())
  check.eq("Local", time.now():location():string())
  check.eq("Local", time.now():utc():in_local():location():string())

  -- The hour that is skipped and the one that is repeated give a moment that the zone knows.
  local gap = time.date(2024, 3, 10, 2, 30, 0, 0, new_york)
  check.ok(gap:hour() == 1 or gap:hour() == 3)
  check.eq(1, time.date(2024, 11, 3, 1, 30, 0, 0, new_york):hour())

  check.fails(errors.NOT_FOUND, "Invalid/Location", time.load_location("Invalid/Location"))
  check.fails(errors.NOT_FOUND, "time zone", time.load_location("../../etc/passwd"))
  check.fails(errors.NOT_FOUND, "time zone", time.load_location("/etc/localtime"))
  check.fails(errors.NOT_FOUND, "time zone", time.load_location("Europe/Madrid\0"))
  check.fails(errors.INVALID, "not empty", time.load_location(""))
  check.fails(errors.INVALID, "not empty", time.load_location(nil))
  check.raises("offset must be", time.fixed_zone, "X", "1h")
end

return { main = main }
