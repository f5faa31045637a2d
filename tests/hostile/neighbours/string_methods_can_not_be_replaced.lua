-- expect: error Internal read-only
local index = ("x").rep and string
index.rep = nil
