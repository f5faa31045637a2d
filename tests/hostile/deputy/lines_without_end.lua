-- containment: jail
-- jail: killed budget
while true do print("x") end
