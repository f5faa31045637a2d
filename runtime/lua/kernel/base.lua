-- The kernel's own copies of Lua's functions, taken before any script runs. Every kernel file is a chunk called
-- with this table K, adds its part to K, and uses nothing global. Nothing of K is ever handed to a script but
-- the functions and tables that sandbox.lua and host.lua list.
local K, python = ...

-- The one door to Python: name and packed arguments in, packed answer out. It never raises.
K.python = python

K.raw = {
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next, pairs = pairs,
  pcall = pcall, rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset, select = select,
  setmetatable = setmetatable, tonumber = tonumber, tostring = tostring, type = type, load = load, xpcall = xpcall,
  collectgarbage = collectgarbage, clock = os.clock,
}
for _, name in ipairs { "string", "table", "math", "utf8", "coroutine", "debug" } do
  local copy = {}
  for key, value in pairs(_G[name]) do
    copy[key] = value
  end
  K.raw[name] = copy
end

-- Unique signals that a coroutine yields to the scheduler. No script ever holds one of them.
K.BLOCK = {} -- it waits: the scheduler resumes it when what it waits for is there
K.KILL = {} -- it is condemned: the scheduler drops it and never resumes it
K.DONE = {} -- the first result of a coroutine that the scheduler runs

-- The record of the coroutine that the scheduler runs now; nil between two of them.
K.current = nil

-- Chunk names. The hook tells kernel frames from all others by the first of them.
K.KERNEL = "=[kernel]"

-- A heap that grows is looked through less often, and faster: it trebles before the next round, and what is over the
-- limit is collected at once (limits.lua). With Lua's own settings half of the time of starting 10,000 tasks is this.
K.raw.collectgarbage("incremental", 300, 400)
