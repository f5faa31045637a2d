local f, a, b, c = print, 1, 2, 3
local t = { a < b, b > (c) }
return t[1]
