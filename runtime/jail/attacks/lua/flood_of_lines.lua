-- wants: fill the log
-- ending: budget
for i = 1, 1e9 do print(("x"):rep(1000)) end
return "all were taken"
