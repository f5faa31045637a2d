-- Stack traces: the frames of a script, by the files and lines that its author knows. Frames of the kernel and of
-- modules are left out; a name that Lua cuts short is written whole; what crosses to another task keeps its frames,
-- and those of who waits for it are put behind them.
local K = ...
local raw = K.raw
local type, getinfo, format = raw.type, raw.debug.getinfo, raw.string.format
local sub, find, match, gsub = raw.string.sub, raw.string.find, raw.string.match, raw.string.gsub

local MAX_FRAMES, MAX_TRACE, MAX_LINE, LOOKED_AT = 20, 40, 400, 60
local SHORT = 59 -- Lua's messages cut a longer name to its end
local whole = {} -- what Lua's messages make of a long name -> the name

-- Notes the name of a chunk, as messages will have it.
function K.name_chunk(name)
  if #name > SHORT then
    whole["..." .. sub(name, -(SHORT - 3))] = name
  end
end

-- Adds a frame where it is one of a script, and takes from the last one the name by which the kernel called it;
-- says whether more may be added, and whether this was one.
local function add(found, info, script)
  local own = info and sub(info.source, 1, 1) == "@"
  if script and not own then
    found[#found].name = ""
  end
  if own and #found < MAX_FRAMES then
    found[#found + 1] = { source = sub(info.source, 2), line = info.currentline, name = info.name or "" }
    return true, true
  end
  return info and #found < MAX_FRAMES, false
end

-- The script's frames of the running coroutine; `level` 2 is who calls this.
function K.frames(level)
  local found, more, script = {}, true, false
  for depth = level, level + LOOKED_AT do
    more, script = add(found, getinfo(depth, "Sln"), script)
    if not more then
      break
    end
  end
  return found
end

-- The script's frames of another coroutine: one that waits, or that an error has ended.
function K.frames_of(co)
  local found, more, script = {}, true, false
  for depth = 0, LOOKED_AT do
    more, script = add(found, getinfo(co, depth, "Sln"), script)
    if not more then
      break
    end
  end
  return found
end

local function line_of(frame)
  return format("%s:%d%s", frame.source, frame.line, frame.name ~= "" and " in " .. frame.name or "")
end

-- Frames as lines of text, and back: what crosses the wire may be anything, so all that is no frame is left out.
function K.trace_lines(frames)
  local lines = {}
  for index, frame in raw.ipairs(frames) do
    if index > MAX_TRACE then
      break
    end
    lines[index] = sub(line_of(frame), 1, MAX_LINE)
  end
  return lines
end

function K.read_trace(lines)
  local frames = {}
  for index = 1, type(lines) == "table" and MAX_TRACE or 0 do
    local line = raw.rawget(lines, index)
    local source, number, rest = match(type(line) == "string" and sub(line, 1, MAX_LINE) or "", "^(.-):(%d+)(.*)$")
    if source then
      frames[#frames + 1] = {
        source = source, line = raw.math.tointeger(raw.tonumber(number)) or 0, name = match(rest, "^ in (.*)$") or "",
      }
    end
  end
  return frames
end

-- Frames and behind them those of who waits, no more than a trace holds.
function K.joined(frames, behind)
  local all = {}
  for _, list in raw.ipairs { frames, behind } do
    for _, frame in raw.ipairs(list) do
      if #all < MAX_TRACE then
        all[#all + 1] = frame
      end
    end
  end
  return all
end

-- Where the last error that was caught came from: the frames are gone once it is raised again.
local last_error, last_frames, last_apart

-- Notes the frames of an error; `apart` where they are those of a coroutine of their own.
local function note(err, frames, apart)
  last_error, last_frames, last_apart = err, frames, apart
end

-- The handler of the sandbox's pcall. It runs where the error was raised, and returns it as it is.
function K.note_error(err)
  if not K.condemned and type(err) == "string" and #err < 8000 and not find(err, "stack overflow", 1, true) then
    note(err, K.frames(2), false)
  end
  return err
end

-- Notes an error that has ended a script's coroutine.
function K.note_ended(err, co)
  if type(err) == "string" and #err < 8000 then
    local frames = K.frames_of(co)
    if last_error == err and last_apart then
      frames = K.joined(last_frames, frames)
    end
    note(err, frames, true)
  end
end

-- The frames of an error that has ended the coroutine `co`: where it was caught and raised again, those of its
-- first place, which is the one that its message begins with.
function K.trace_of(err, co)
  local frames = K.frames_of(co)
  local first = type(err) == "string" and last_error == err and last_frames[1]
  if first and find(err, first.source .. ":" .. first.line .. ":", 1, true) == 1 then
    local here = frames[1]
    if not here or here.source ~= first.source or here.line ~= first.line then
      frames = last_apart and K.joined(last_frames, frames) or last_frames
    end
  end
  last_error, last_frames = nil, nil
  return frames
end

-- Takes places of the kernel and of modules out of a message, and writes names whole that Lua has cut.
function K.clean_message(message)
  message = gsub(message, "^%[kernel%][^:]*:%d+: ", "")
  message = gsub(message, "^%[module%][^:]*:%d+: ", "")
  local cut = match(message, "^(%.%.%.[^:]*:?[^:]*):%d+: ")
  local name = cut and whole[cut]
  return name and name .. sub(message, #cut + 1) or message
end
