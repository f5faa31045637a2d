-- Error objects: what goes wrong is a value with kind, message, retryable and details, the same in every place.
-- They say "userdata" for their type, join with `..`, and remember where in the script they were made.
local K = ...
local raw = K.raw
local type, error, next = raw.type, raw.error, raw.next
local concat, frames = raw.table.concat, K.frames

local KINDS = {
  NOT_FOUND = "NotFound", ALREADY_EXISTS = "AlreadyExists", INVALID = "Invalid",
  PERMISSION_DENIED = "PermissionDenied", UNAVAILABLE = "Unavailable", INTERNAL = "Internal",
  CANCELED = "Canceled", CONFLICT = "Conflict", TIMEOUT = "Timeout", RATE_LIMITED = "RateLimited", UNKNOWN = "",
}

local new_object, state_of

local function text_of(state)
  if not state.context then
    return state.message
  end
  return state.context .. ": " .. state.message
end

local function stack_text(state)
  return concat(K.trace_lines(state.frames), "\n")
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

-- Makes an error object with the given frames.
function K.error_at(trace, kind, message, details, retryable)
  if details ~= nil and next(details) == nil then
    details = nil
  end
  return new_object { kind = kind, message = message, details = details, retryable = retryable, frames = trace }
end

-- Makes an error object that remembers where the script is now.
function K.error(kind, message, details, retryable)
  return K.error_at(frames(2), kind, message, details, retryable)
end

-- What crosses the wire of an error object: kind, full text, retryable, details, and its frames as lines.
function K.error_value(value)
  local state = state_of(value)
  local stack = state.frames[1] and K.trace_lines(state.frames) or nil
  return {
    kind = state.kind, message = text_of(state), retryable = state.retryable, details = state.details, stack = stack,
  }
end

-- Puts the frames of the coroutine that waited for an error behind those that the error came with.
function K.received(value, co)
  local state = value ~= nil and state_of(value)
  if state then
    state.frames = K.joined(state.frames, K.frames_of(co))
  end
  return value
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
  return K.error(kind, message, details, retryable)
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
