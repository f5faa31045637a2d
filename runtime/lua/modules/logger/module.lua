-- Structured logging. Command, cast: logger.log {level, message, fields, name}
--   level: "debug" | "info" | "warn" | "error"; message: string; fields: table of plain data; name: string, dotted
local host = ...

local MAX_FIELDS = 200
local new_logger, logger_of

-- A logger is an object, except for the module itself, which has no name and no fields.
local function state_of(self)
  return logger_of(self) or { name = "", fields = {} }
end

-- What no log can hold is shown as text, so that a line is never lost for a field.
local function plain(value)
  local kind = type(value)
  if host.is_error(value) or kind == "function" or kind == "thread" or kind == "userdata" then
    return host.line(tostring(value))
  end
  return kind == "string" and host.line(value) or value
end

local function merged(base, extra, what)
  local fields, count = {}, 0
  for key, value in next, base do
    fields[key] = value
    count = count + 1
  end
  if extra == nil then
    return fields
  end
  if type(extra) ~= "table" then
    error(what .. ": fields must be a table, got " .. type(extra), 3)
  end
  for key, value in pairs(extra) do
    count = count + 1
    if count > MAX_FIELDS then
      error(what .. ": at most " .. MAX_FIELDS .. " fields", 3)
    end
    fields[tostring(key)] = plain(value)
  end
  return fields
end

local function level(name)
  return function(self, message, fields)
    if type(message) ~= "string" then
      error("logger:" .. name .. " expects a message, got " .. type(message), 2)
    end
    local state = state_of(self)
    host.cast("logger.log", {
      level = name,
      message = host.line(message),
      fields = merged(state.fields, fields, "logger:" .. name),
      name = state.name,
    })
  end
end

local methods = {
  debug = level("debug"),
  info = level("info"),
  warn = level("warn"),
  error = level("error"),

  with = function(self, fields)
    local state = state_of(self)
    return new_logger({ name = state.name, fields = merged(state.fields, fields or {}, "logger:with") })
  end,

  named = function(self, name)
    if type(name) ~= "string" then
      error("logger:named expects a name, got " .. type(name), 2)
    end
    if name == "" then
      return nil, host.error("Invalid", "logger name cannot be empty", nil, false)
    end
    local state = state_of(self)
    local full = state.name == "" and name or state.name .. "." .. name
    return new_logger({ name = full, fields = state.fields })
  end,
}

new_logger, logger_of = host.class("logger.Logger", {
  methods = methods,
  tostring = function(self)
    return "logger.Logger{" .. logger_of(self).name .. "}"
  end,
})

return methods
