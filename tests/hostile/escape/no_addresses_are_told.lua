-- expect: value "table: 0x function: builtin"
local text = tostring({}):sub(1, 9)
local number = tonumber(tostring({}):match("0x(%x+)"), 16)
local _, err = pcall(string.format, "%p", {})
return (number < 100000000 and err:find("not available") and text or "leaks") .. " function: builtin"
