-- wants: run for ever
-- ending: cpu
while true do end
