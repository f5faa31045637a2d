-- wants: keep the host busy for ever
-- ending: budget
-- modules: env
for i = 1, 1e9 do env.get("NAME") end
return "all were taken"
