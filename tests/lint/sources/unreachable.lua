local function early(x)
  do return x end
  print("never") --> W0020
end
local function both(x)
  if x then return 1 else error("no") end
  print("never") --> W0020
end
local function one(x)
  if x then return 1 end
  return 2
end
local function forever()
  while true do
    print("on")
  end
  return 1 --> W0020
end
local function broken_off()
  while true do
    if one(1) then break end
  end
  return 1
end
local function jumping()
  goto done
  print("never") --> W0020
  ::done::
  return 1
end
local function raised(error)
  error("a local function may well return")
  print("here")
end
for _ = 1, 3 do
  break
  print("never") --> W0020
end
return { main = function() return early, both, forever, broken_off, jumping, raised end }
