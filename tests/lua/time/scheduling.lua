local time = require("time")
local check = require("check")

local function elapsed_since(start)
  return time.now():sub(start):milliseconds()
end

local function main()
  local start = time.now()
  check.eq("2026-01-02T03:04:05.678901Z", start:utc():format(time.RFC3339NANO))
  time.sleep("10ms")
  time.sleep(5 * time.MILLISECOND)
  time.sleep(time.parse_duration("5ms"))
  time.sleep(0)
  time.sleep(-1)
  check.eq(20, elapsed_since(start))

  start = time.now()
  local channel_after = time.after("10ms")
  local moment, ok = channel_after:receive()
  check.ok(ok and moment:unix() > 0)
  check.eq(10, elapsed_since(start))
  check.eq({ nil, false }, { channel_after:receive() })

  local fast, slow = time.after("5ms"), time.after("50ms")
  local result = channel.select({ slow:case_receive(), fast:case_receive() })
  check.ok(result.ok and result.channel == fast)

  start = time.now()
  local timer = time.timer("100ms")
  check.ok(timer:reset("5ms"))
  timer:channel():receive()
  check.eq(5, elapsed_since(start))
  check.ok(timer:response() == timer:channel())
  check.eq(false, timer:stop())
  check.eq(false, timer:reset("1ms"))
  check.eq(true, timer:stop())

  start = time.now()
  local ticker = time.ticker("5ms")
  for _ = 1, 3 do
    ticker:channel():receive()
  end
  check.eq(15, elapsed_since(start))
  time.sleep("500ms") -- it holds sixteen ticks, the others are dropped
  check.eq(true, ticker:stop())
  check.eq(false, ticker:stop())
  local held = 0
  while channel.select({ ticker:response():case_receive(), default = true }).channel do
    held = held + 1
  end
  check.eq(16, held)

  for _, schedule in ipairs({ time.after, time.timer, time.ticker }) do
    check.fails(errors.INVALID, "duration must be > 0", schedule(0))
    check.fails(errors.INVALID, "duration must be > 0", schedule("-1s"))
    check.fails(errors.INVALID, "invalid duration", schedule("soon"))
  end
  check.fails(errors.INVALID, "invalid duration", time.sleep("soon"))
end

return { main = main }
