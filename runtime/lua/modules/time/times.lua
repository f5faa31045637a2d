-- Times: whole seconds since 1970, nanoseconds and a location. Arithmetic is done here, layouts by the host.
local host, T = ...

local SECOND = T.SECOND
local DAY = 86400
local ZERO = -62135596800 -- 1 January of the year 1, the time that counts as zero

local days_of, date_of, offset_at, moment_of = T.days_of, T.date_of, T.offset_at, T.moment_of
local new_location, location_of, utc, localtz = T.new_location, T.location_of, T.utc, T.localtz
local new_duration, duration_of, nanoseconds, integer = T.new_duration, T.duration_of, T.nanoseconds, T.integer
local new_time, time_of

local function make(seconds, nanosecond, location)
  return new_time({
    seconds = seconds + nanosecond // SECOND,
    nanosecond = nanosecond % SECOND,
    location = location,
  })
end

local function from_wall(year, month, day, hour, minute, second, nanosecond, location)
  local wall = days_of(year, month, day) * DAY + hour * 3600 + minute * 60 + second + nanosecond // SECOND
  return make(moment_of(wall, location), nanosecond % SECOND, location)
end

-- The state of the object of a method call.
local function own(self)
  local state = time_of(self)
  if not state then
    error("call this as a method of a Time, with `:`", 3)
  end
  return state
end

local function as_time(value, what)
  local state = time_of(value)
  if not state then
    error(what .. " must be a Time, got " .. type(value), 3)
  end
  return state
end

-- Seconds that the clock of the time's location shows, its offset and abbreviation.
local function wall_of(state)
  local offset, zone = offset_at(state.location, state.seconds)
  return state.seconds + offset, offset, zone
end

local function fields_of(self)
  local wall = wall_of(own(self))
  local year, month, day = date_of(wall // DAY)
  local rest = wall % DAY
  return year, month, day, rest // 3600, rest // 60 % 60, rest % 60, wall
end

local function format(self, layout)
  local state = own(self)
  local wall, offset, zone = wall_of(state)
  return host.sync("format_time", layout, wall, state.nanosecond, offset, zone)
end

local function compare(a, b)
  if a.seconds ~= b.seconds then
    return a.seconds < b.seconds and -1 or 1
  end
  return a.nanosecond == b.nanosecond and 0 or (a.nanosecond < b.nanosecond and -1 or 1)
end

local function add(self, ns)
  local state = own(self)
  return make(state.seconds + ns // SECOND, state.nanosecond + ns % SECOND, state.location)
end

local function remainder(self, duration, what)
  local step = duration_of(duration)
  if not step then
    error(what .. " expects a Duration: see time.parse_duration", 3)
  end
  if step.ns <= 0 then
    return 0, 0
  end
  local state = own(self)
  return host.sync("remainder", state.seconds - ZERO, state.nanosecond, step.ns), step.ns
end

local time_methods = {
  add = function(self, duration)
    local ns, err = nanoseconds(duration, "time.add")
    if not ns then
      return nil, err
    end
    return add(self, ns)
  end,
  sub = function(self, other)
    local a, b = own(self), as_time(other, "argument of sub")
    local seconds = a.seconds - b.seconds
    if seconds >= 9223372036 then
      return new_duration({ ns = math.maxinteger })
    elseif seconds <= -9223372036 then
      return new_duration({ ns = math.mininteger })
    end
    return new_duration({ ns = seconds * SECOND + a.nanosecond - b.nanosecond })
  end,
  add_date = function(self, years, months, days)
    local year, month, day, hour, minute, second = fields_of(self)
    local state = own(self)
    year = year + integer(years or 0, "years")
    month = month + integer(months or 0, "months")
    day = day + integer(days or 0, "days")
    return from_wall(year, month, day, hour, minute, second, state.nanosecond, state.location)
  end,
  before = function(self, other)
    return compare(own(self), as_time(other, "argument of before")) < 0
  end,
  after = function(self, other)
    return compare(own(self), as_time(other, "argument of after")) > 0
  end,
  equal = function(self, other)
    return compare(own(self), as_time(other, "argument of equal")) == 0
  end,
  format = format,
  format_rfc3339 = function(self)
    return format(self, "2006-01-02T15:04:05Z07:00")
  end,
  unix = function(self)
    return own(self).seconds
  end,
  unix_nano = function(self)
    local state = own(self)
    return state.seconds * SECOND + state.nanosecond
  end,
  date = function(self)
    local year, month, day = fields_of(self)
    return year, month, day
  end,
  clock = function(self)
    local _, _, _, hour, minute, second = fields_of(self)
    return hour, minute, second
  end,
  year = function(self)
    return (fields_of(self))
  end,
  month = function(self)
    return (select(2, fields_of(self)))
  end,
  day = function(self)
    return (select(3, fields_of(self)))
  end,
  hour = function(self)
    return (select(4, fields_of(self)))
  end,
  minute = function(self)
    return (select(5, fields_of(self)))
  end,
  second = function(self)
    return (select(6, fields_of(self)))
  end,
  nanosecond = function(self)
    return own(self).nanosecond
  end,
  weekday = function(self)
    return (select(7, fields_of(self)) // DAY + 4) % 7
  end,
  year_day = function(self)
    local year, _, _, _, _, _, wall = fields_of(self)
    return wall // DAY - days_of(year, 1, 1) + 1
  end,
  is_zero = function(self)
    local state = own(self)
    return state.seconds == ZERO and state.nanosecond == 0
  end,
  utc = function(self)
    local state = own(self)
    return make(state.seconds, state.nanosecond, utc)
  end,
  in_local = function(self)
    local state = own(self)
    return make(state.seconds, state.nanosecond, localtz)
  end,
  in_location = function(self, location)
    local state = own(self)
    if location == nil or not location_of(location) then
      error("in_location expects a Location: see time.load_location", 2)
    end
    return make(state.seconds, state.nanosecond, location)
  end,
  location = function(self)
    return own(self).location
  end,
  round = function(self, duration)
    local rest, step = remainder(self, duration, "round")
    return add(self, rest < step - rest and -rest or step - rest)
  end,
  truncate = function(self, duration)
    return add(self, -(remainder(self, duration, "truncate")))
  end,
}

new_time, time_of = host.class("time.Time", {
  methods = time_methods,
  tostring = function(self)
    local shown = format(self, "2006-01-02 15:04:05.999999999 -0700 MST")
    return shown or "time.Time{" .. time_of(self).seconds .. " s since 1970}" -- a year that no layout can show
  end,
  eq = function(a, b)
    return compare(time_of(a), time_of(b)) == 0
  end,
  lt = function(a, b)
    return compare(time_of(a), time_of(b)) < 0
  end,
  le = function(a, b)
    return compare(time_of(a), time_of(b)) <= 0
  end,
})

local function now()
  local seconds, nanosecond = host.now()
  return make(seconds, nanosecond, localtz)
end

-- Where a parsed value says its own offset, that decides the moment; the location only names it.
local function from_parsed(parsed, location)
  local wall, offset, zone = parsed.wall, parsed.offset, parsed.zone
  if offset then
    local seconds = wall - offset
    if offset == 0 and (zone == nil or zone == "UTC") then
      return make(seconds, parsed.nanosecond, utc)
    end
    local there = offset_at(location, seconds)
    if there == offset and zone == nil then
      return make(seconds, parsed.nanosecond, location)
    end
    return make(seconds, parsed.nanosecond, new_location({ name = zone or "", offset = offset }))
  end
  local seconds = moment_of(wall, location)
  local _, abbreviation = offset_at(location, seconds)
  if zone and zone ~= abbreviation then
    return make(wall, parsed.nanosecond, new_location({ name = zone, offset = 0 }))
  end
  return make(seconds, parsed.nanosecond, location)
end

T.make, T.from_wall, T.from_parsed, T.now = make, from_wall, from_parsed, now
