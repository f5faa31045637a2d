-- The terminal. Commands that the host offers; each call raises Unavailable "no terminal context" for a task
-- without a terminal:
--   cast io.write {stream: "stdout" | "stderr", text: string}
--   call io.available () -> true
--   call io.is_terminal () -> whether a person sits at both ends: input and output are terminals
--   call io.flush ()     -> true, once all that was written is out
--   call io.readline (prompt?) -> line without its end, nil at the end of input; the prompt is written first, and
--                           what interrupts from then on interrupts the reading
--   call io.read (count) -> up to `count` bytes, nil at the end of input
--   call io.raw (enable: boolean) -> true; raises Unavailable where there is no raw input
--   call io.args ()      -> array of strings
local host = ...

local DEFAULT_READ = 1024
local MAX_READ = 1048576
local MAX_ITEMS = 1000

-- Casts have no answer, so whether a task has a terminal is asked before its first one.
local checked = setmetatable({}, { __mode = "k" })

local function terminal()
  local task = host.task()
  if not checked[task] then
    local ok, err = host.call("io.available")
    if not ok then
      return nil, err
    end
    checked[task] = true
  end
  return true
end

local function write(stream, separator, ending, ...)
  local ok, err = terminal()
  if not ok then
    return nil, err
  end
  local count = select("#", ...)
  if count > MAX_ITEMS then
    error("at most " .. MAX_ITEMS .. " values can be written at once", 3)
  end
  local parts = {}
  for index = 1, count do
    parts[index] = tostring((select(index, ...)))
  end
  host.cast("io.write", { stream = stream, text = table.concat(parts, separator) .. ending })
  return true
end

return {
  write = function(...)
    return write("stdout", "", "", ...)
  end,

  print = function(...)
    return write("stdout", "\t", "\n", ...)
  end,

  eprint = function(...)
    return write("stderr", "\t", "\n", ...)
  end,

  flush = function()
    return host.call("io.flush")
  end,

  is_terminal = function()
    return host.call("io.is_terminal") == true
  end,

  readline = function(prompt)
    if prompt == nil then
      return host.call("io.readline")
    end
    if type(prompt) ~= "string" then
      error("io.readline expects a prompt as a string, got " .. type(prompt), 2)
    end
    return host.call("io.readline", prompt)
  end,

  read = function(count)
    if count ~= nil and type(count) ~= "number" then
      error("io.read expects a number of bytes, got " .. type(count), 2)
    end
    count = count and math.tointeger(count) or DEFAULT_READ
    if count <= 0 then
      count = DEFAULT_READ
    end
    return host.call("io.read", math.min(count, MAX_READ))
  end,

  raw = function(enable)
    return host.call("io.raw", enable ~= false)
  end,

  args = function()
    local args = host.call("io.args")
    return args or {}
  end,
}
