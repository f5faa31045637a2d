-- expect: value "1 1 false false"
local t = table.freeze({ a = 1, 2, 3 })
local a = pcall(function() t.a = 2 end)
local b = pcall(rawset, t, "a", 2)
return t.a .. " " .. rawget(t, "a") .. " " .. tostring(a) .. " " .. tostring(b)
