-- Locations: UTC, zones of a fixed offset, and zones by name, whose data the host has.
local host, T = ...

local new_location, location_of
local utc, localtz

-- Offset in seconds east of UTC and abbreviation of a location at a moment.
local function offset_at(location, seconds)
  local state = location_of(location)
  if state.offset then
    return state.offset, state.name
  end
  local pair = host.sync("offset_at", state.name, seconds)
  if not pair then
    return 0, "UTC"
  end
  return pair[1], pair[2]
end

-- The moment at which a clock in the location shows `wall`; in a gap or an overlap one of the two that fit.
local function moment_of(wall, location)
  local offset = offset_at(location, wall - offset_at(location, wall))
  local moment = wall - offset
  local again = offset_at(location, moment)
  return again == offset and moment or wall - again
end

local function as_location(value)
  if value == nil then
    return localtz
  end
  if not location_of(value) then
    error("location must be a Location, got " .. type(value), 3)
  end
  return value
end

new_location, location_of = host.class("time.Location", {
  methods = {
    string = function(self)
      return location_of(self).name
    end,
  },
  tostring = function(self)
    return location_of(self).name
  end,
})

utc = new_location({ name = "UTC", offset = 0 })
localtz = new_location({ name = "Local" })

T.utc, T.localtz, T.new_location, T.location_of = utc, localtz, new_location, location_of
T.offset_at, T.moment_of, T.as_location = offset_at, moment_of, as_location
