local type = type
local t = { type = 1 }
t.type = type(t)
type(1)
return t.type == 'table'
