-- expect: value "contained"
-- jail: killed size
-- limit: 10
for _ = 1, 100 do print(("y"):rep(1e6)) end
return "contained"
