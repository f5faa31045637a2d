-- wants: fill the log
for i = 1, 1e9 do print(("x"):rep(1000)) end
return "all were taken"
