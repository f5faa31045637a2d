-- expect: value "false false false"
local a = pcall(table.insert, string, "x")
local b = pcall(table.move, { 1 }, 1, 1, 1, string)
local c = pcall(table.move, string, 1, 0, 1)
local d = pcall(table.sort, math)
return tostring(a) .. " " .. tostring(b) .. " " .. tostring(d or (c and string[1] ~= nil))
