local time = require("time")
local check = require("check")

local function main()
  local d = time.parse_duration("1h30m45s500ms")
  check.eq(5445500000000, d:nanoseconds())
  check.eq(5445500000, d:microseconds())
  check.eq(5445500, d:milliseconds())
  check.eq(5445.5, d:seconds())
  check.eq(90.75833333333334, d:minutes())
  check.eq("1", tostring(time.parse_duration("1h"):hours()))
  check.eq("integer", math.type(time.parse_duration("1.5ms"):milliseconds()))
  for text, nanoseconds in pairs({
    ["0"] = 0, ["1ns"] = 1, ["1us"] = 1000, ["1\u{b5}s"] = 1000, ["1.5h"] = 5400000000000, ["-1m"] = -60000000000,
    ["+.5s"] = 500000000, ["2h30m45s500ms"] = 9045500000000, ["1.s"] = 1000000000,
  }) do
    check.eq(nanoseconds, time.parse_duration(text):nanoseconds())
  end
  for nanoseconds, text in pairs({
    [0] = "0s", [1] = "1ns", [1500] = "1.5\u{b5}s", [2000000] = "2ms", [1500000000] = "1.5s",
    [5400000000000] = "1h30m0s", [-60000000000] = "-1m0s", [3600000000001] = "1h0m0.000000001s",
    [math.maxinteger] = "2562047h47m16.854775807s", [math.mininteger] = "-2562047h47m16.854775808s",
  }) do
    check.eq(text, tostring(time.parse_duration(nanoseconds)))
  end
  check.eq(time.parse_duration(d):nanoseconds(), d:nanoseconds())
  check.eq(500000000, time.parse_duration(0.5 * time.SECOND):nanoseconds())
  check.ok(time.parse_duration("1s") == time.parse_duration("1000ms"))
  check.ok(time.parse_duration("1s") < time.parse_duration("2s"))
  for _, wrong in ipairs({ "invalid", "", "5", "1d", "h", "1h2", "--1s", "9999999999h", ".s", "1 s" }) do
    check.fails(errors.INVALID, "duration", time.parse_duration(wrong))
  end
  check.fails(errors.INVALID, "expected a number", time.parse_duration({}))
  check.fails(errors.INVALID, "expected a number", time.parse_duration(nil))
  check.fails(errors.INVALID, "64 bits", time.parse_duration(0 / 0))
  check.fails(errors.INVALID, "64 bits", time.parse_duration(1e300))
end

return { main = main }
