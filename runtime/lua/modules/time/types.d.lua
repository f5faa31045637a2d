---@meta

---@class time
---@field NANOSECOND integer
---@field MICROSECOND integer
---@field MILLISECOND integer
---@field SECOND integer
---@field MINUTE integer
---@field HOUR integer
---@field RFC3339 string
---@field RFC3339NANO string
---@field RFC822 string
---@field RFC822Z string
---@field RFC850 string
---@field RFC1123 string
---@field RFC1123Z string
---@field DATE_TIME string
---@field DATE_ONLY string
---@field TIME_ONLY string
---@field KITCHEN string
---@field STAMP string
---@field STAMP_MILLI string
---@field STAMP_MICRO string
---@field STAMP_NANO string
---@field JANUARY integer
---@field DECEMBER integer
---@field SUNDAY integer
---@field SATURDAY integer
---@field utc time.Location
---@field localtz time.Location
local time = {}

---@alias time.DurationLike integer | string | time.Duration

---@class time.Location
local Location = {}

---@return string
function Location:string() end

---@class time.Duration
local Duration = {}

---@return number
function Duration:hours() end

---@return number
function Duration:minutes() end

---@return number
function Duration:seconds() end

---@return integer
function Duration:milliseconds() end

---@return integer
function Duration:microseconds() end

---@return integer
function Duration:nanoseconds() end

---@class time.Time
local Time = {}

---@param duration time.DurationLike
---@return time.Time? time
---@return Error? err Invalid
function Time:add(duration) end

---@param other time.Time
---@return time.Duration
function Time:sub(other) end

---@param years integer
---@param months integer
---@param days integer
---@return time.Time
function Time:add_date(years, months, days) end

---@param other time.Time
---@return boolean
function Time:before(other) end

---@param other time.Time
---@return boolean
function Time:after(other) end

---@param other time.Time
---@return boolean
function Time:equal(other) end

---@param layout string
---@return string? text
---@return Error? err Invalid
function Time:format(layout) end

---@return string
function Time:format_rfc3339() end

---@return integer
function Time:unix() end

---@return integer
function Time:unix_nano() end

---@return integer year
---@return integer month
---@return integer day
function Time:date() end

---@return integer hour
---@return integer minute
---@return integer second
function Time:clock() end

---@return integer
function Time:year() end

---@return integer
function Time:month() end

---@return integer
function Time:day() end

---@return integer
function Time:hour() end

---@return integer
function Time:minute() end

---@return integer
function Time:second() end

---@return integer
function Time:nanosecond() end

---@return integer
function Time:weekday() end

---@return integer
function Time:year_day() end

---@return boolean
function Time:is_zero() end

---@return time.Time
function Time:utc() end

---@return time.Time
function Time:in_local() end

---@param location time.Location
---@return time.Time
function Time:in_location(location) end

---@return time.Location
function Time:location() end

---@param duration time.Duration
---@return time.Time
function Time:round(duration) end

---@param duration time.Duration
---@return time.Time
function Time:truncate(duration) end

---@class time.Timer
local Timer = {}

---@return channel
function Timer:response() end

---@return channel
function Timer:channel() end

---@return boolean
function Timer:stop() end

---@param duration time.DurationLike
---@return boolean? was_running
---@return Error? err Invalid
function Timer:reset(duration) end

---@class time.Ticker
local Ticker = {}

---@return channel
function Ticker:response() end

---@return channel
function Ticker:channel() end

---@return boolean
function Ticker:stop() end

---@return time.Time
function time.now() end

---@param year integer
---@param month integer
---@param day integer
---@param hour? integer
---@param minute? integer
---@param second? integer
---@param nanosecond? integer
---@param location? time.Location
---@return time.Time
function time.date(year, month, day, hour, minute, second, nanosecond, location) end

---@param seconds integer
---@param nanoseconds? integer
---@return time.Time
function time.unix(seconds, nanoseconds) end

---@param layout string
---@param value string
---@param location? time.Location
---@return time.Time? time
---@return Error? err Invalid
function time.parse(layout, value, location) end

---@param value time.DurationLike
---@return time.Duration? duration
---@return Error? err Invalid
function time.parse_duration(value) end

---@param name string
---@return time.Location? location
---@return Error? err Invalid or NotFound
function time.load_location(name) end

---@param name string
---@param offset integer seconds east of UTC
---@return time.Location
function time.fixed_zone(name, offset) end

---@param duration time.DurationLike
---@return nil
---@return Error? err Invalid
function time.sleep(duration) end

---@param duration time.DurationLike
---@return channel? channel
---@return Error? err Invalid
function time.after(duration) end

---@param duration time.DurationLike
---@return time.Timer? timer
---@return Error? err Invalid
function time.timer(duration) end

---@param duration time.DurationLike
---@return time.Ticker? ticker
---@return Error? err Invalid
function time.ticker(duration) end

return time
