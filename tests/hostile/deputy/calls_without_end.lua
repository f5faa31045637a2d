-- containment: jail
-- modules: env
-- jail: killed budget
while true do env.get("A") end
