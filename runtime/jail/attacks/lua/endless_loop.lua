-- wants: run for ever
while true do end
