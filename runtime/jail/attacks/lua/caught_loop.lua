-- wants: run for ever and catch the end of it
-- ending: cpu
while true do pcall(function() while true do end end) end
