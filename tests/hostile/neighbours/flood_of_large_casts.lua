-- expect: value "contained"
-- limit: 10
for _ = 1, 60 do host.cast("noise", ("y"):rep(1e6)) end
return "contained"
