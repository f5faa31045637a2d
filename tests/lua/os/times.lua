local check = require("check")

local function main()
  check.eq("wippy", os.platform)
  check.eq(1767323045, os.time())
  local t = os.time({ year = 2024, month = 6, day = 15, hour = 14, min = 30, sec = 45 })
  check.eq("2024-06-15 14:30:45", os.date("%Y-%m-%d %H:%M:%S", t))
  check.eq({ year = 2024, month = 6, day = 15, hour = 14, min = 30, sec = 45, wday = 7, yday = 167, isdst = os.date("*t", t).isdst },
    os.date("*t", t))
  check.eq(30, os.difftime(os.time({ year = 2024, month = 1, day = 1, sec = 30 }), os.time({ year = 2024, month = 1, day = 1 })))
  check.eq(os.time({ year = 2024, month = 2, day = 1 }), os.time({ year = 2024, month = 1, day = 32 }))
  check.eq("number", type(os.time({ day = 1 })))
  check.eq(0, os.clock())

  check.eq("Thu Jan  1 00:00:00 1970", os.date("!%c", 0))
  check.eq("1970|70|01|01|00|12|00|00|AM|Thursday|Thu|January|Jan|4|001|01|+0000|UTC|01/01/70|00:00:00|%",
    os.date("!%Y|%y|%m|%d|%H|%I|%M|%S|%p|%A|%a|%B|%b|%w|%j|%U|%z|%Z|%x|%X|%%", 0))
  check.eq(1970, os.date("!*t", 0.5).year)
  check.eq("string", type(os.date()))
  check.eq("", os.date("", 0))

  check.fails(errors.INVALID, "`%Q` is no specifier", os.date("%Q", 0))
  check.fails(errors.INVALID, "specifier", os.date("%", 0))
  check.fails(errors.INVALID, "out of range", os.date("%Y", 1e300))
  check.fails(errors.INVALID, "must be a number", os.date("%Y", "x"))
  check.fails(errors.INVALID, "must be a number", os.date("%Y", 0 / 0))
  check.fails(errors.INVALID, "format", os.date(5))
  check.fails(errors.INVALID, "field `month`", os.time({ year = 2024, month = "x", day = 1 }))
  check.fails(errors.INVALID, "field `year`", os.time({ year = 1e300, month = 1, day = 1 }))
  check.fails(errors.INVALID, "table", os.time("now"))
  check.raises("two numbers", os.difftime, 1)
  for _, name in ipairs({ "execute", "exit", "getenv", "remove", "rename", "tmpname", "setlocale" }) do
    check.eq(nil, os[name])
  end
end

return { main = main }
