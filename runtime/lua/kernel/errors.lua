-- Error objects: what goes wrong is a value with kind, message, retryable and details, the same in every place.
-- They say "userdata" for their type, join with `..`, and remember where in the script they were made.
local K = ...
local raw = K.raw
local type, error, next = raw.type, raw.error, raw.next
local getinfo, concat, format = raw.debug.getinfo, raw.table.concat, raw.string.format

local MAX_FRAMES = 20
local KINDS = {
  NOT_FOUND = "NotFound", ALREADY_EXISTS = "AlreadyExists", INVALID = "Invalid",
  PERMISSION_DENIED = "PermissionDenied", UNAVAILABLE = "Unavailable", INTERNAL = "Internal",
  CANCELED = "Canceled", CONFLICT = "Conflict", TIMEOUT = "Timeout", RATE_LIMITED = "RateLimited", UNKNOWN = "",
}

local new_object, state_of

-- The script's frames of the running coroutine, kernel and module frames left out.
local function frames(level)
  local found = {}
  for depth = level, level + 3 * MAX_FRAMES do
    local info = getinfo(depth, "Sln")
    if not info or #found == MAX_FRAMES then
      break
    end
    if raw.string.sub(info.source, 1, 1) == "@" then
      found[#found + 1] = { source = info.short_src, line = info.currentline, name = info.name or "" }
    end
  end
  return found
end
K.frames = frames

local function text_of(state)
  if not state.context then
    return state.message
  end
  return state.context .. ": " .. state.message
end

local function stack_text(state)
  local lines = {}
  for index, frame in raw.ipairs(state.frames) do
    lines[index] = format("%s:%d%s", frame.source, frame.line, frame.name ~= "" and " in " .. frame.name or "")
  end
  return concat(lines, "\n")
end

local function own(self, method)
  local state = state_of(self)
  if not state then
    error("bad argument #1 to '" .. method .. "' (error expected, got " .. K.typeof(self) .. ")", 3)
  end
  return state
end

new_object, state_of = K.define_class("error", {
  methods = {
    message = function(self)
      return own(self, "message").message
    end,
    kind = function(self)
      return own(self, "kind").kind
    end,
    retryable = function(self)
      return own(self, "retryable").retryable
    end,
    details = function(self)
      return own(self, "details").details
    end,
    stack = function(self)
      local state = own(self, "stack")
      local stack = stack_text(state)
      return stack ~= "" and text_of(state) .. "\n" .. stack or text_of(state)
    end,
  },
  tostring = function(self)
    return text_of(state_of(self))
  end,
  concat = function(left, right)
    return K.tostring(left) .. K.tostring(right)
  end,
})

K.error_state = state_of
function K.is_error(value)
  return value ~= nil and state_of(value) ~= nil
end

-- Text of an error object with the context that errors.wrap added, nil for any other value.
function K.error_text(value)
  local state = value ~= nil and state_of(value)
  return state and text_of(state) or nil
end

-- Makes an error object. `level` is the stack level of the first frame to remember (default: the caller's).
function K.error(kind, message, details, retryable, level)
  if details ~= nil and next(details) == nil then
    details = nil
  end
  return new_object {
    kind = kind, message = message, details = details, retryable = retryable, frames = frames((level or 2) + 1),
  }
end

-- What crosses the wire of an error object: kind, full text, retryable, details.
function K.error_value(value)
  local state = state_of(value)
  return { kind = state.kind, message = text_of(state), retryable = state.retryable, details = state.details }
end

local function from_table(spec)
  local kind, message, details, retryable = spec.kind, spec.message, spec.details, spec.retryable
  if message == nil then
    message = ""
  end
  if kind == nil then
    kind = KINDS.UNKNOWN
  end
  if type(message) ~= "string" or type(kind) ~= "string" then
    error("errors.new: message and kind must be strings", 3)
  end
  if details ~= nil and type(details) ~= "table" then
    error("errors.new: details must be a table", 3)
  end
  if retryable ~= nil and type(retryable) ~= "boolean" then
    error("errors.new: retryable must be a boolean", 3)
  end
  return K.error(kind, message, details, retryable, 3)
end

local library = {}
for name, kind in next, KINDS do
  library[name] = kind
end

function library.new(spec)
  if type(spec) == "string" then
    return K.error(KINDS.UNKNOWN, spec)
  end
  if K.typeof(spec) ~= "table" then
    error("errors.new: expected a message or a table {message, kind, retryable, details}", 2)
  end
  return from_table(K.contents(spec))
end

function library.wrap(err, context)
  local inner = err ~= nil and state_of(err)
  if not inner and type(err) ~= "string" then
    error("errors.wrap: expected an error or a message, got " .. K.typeof(err), 2)
  end
  if context ~= nil and type(context) ~= "string" then
    error("errors.wrap: the context must be a string", 2)
  end
  local state = inner or { kind = KINDS.UNKNOWN, message = err, frames = frames(2) }
  if inner and inner.context then
    context = context and context .. ": " .. inner.context or inner.context
  end
  return new_object {
    kind = state.kind, message = state.message, details = state.details, retryable = state.retryable,
    frames = state.frames, context = context,
  }
end

function library.is(err, kind)
  local state = err ~= nil and state_of(err)
  return state ~= nil and state ~= false and state.kind == kind
end

function library.call_stack(err)
  local state = err ~= nil and state_of(err)
  if not state then
    return nil
  end
  local copy = {}
  for index, frame in raw.ipairs(state.frames) do
    copy[index] = { source = frame.source, line = frame.line, name = frame.name }
  end
  local serial = K.current and K.current.serial or 1
  return { thread = serial == 1 and "main" or "coroutine " .. serial, frames = copy }
end

K.errors_library = library
