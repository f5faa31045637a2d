-- containment: jail
-- jail: value "contained"
for _ = 1, 20 do print(("x"):rep(1000000)) end
return "contained"
