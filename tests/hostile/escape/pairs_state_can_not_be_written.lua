-- expect: error Internal attempt to modify a read-only table
local _, state = pairs(string)
state.format = nil
