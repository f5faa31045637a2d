-- expect: error Invalid contains itself can not cross at `a.b`
local t = { a = {} }
t.a.b = t
return t
