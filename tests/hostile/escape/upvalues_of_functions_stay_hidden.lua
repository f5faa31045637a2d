-- expect: value "nil nil"
return tostring(rawget(_G, "debug")) .. " " .. tostring(rawget(_G, "load"))
