-- expect: value [true, true]
local value = host.call("echo", { 0 / 0, 1 / 0 })
return { value[1] ~= value[1], value[2] == math.huge }
