-- expect: error Internal more than 16 MB
-- limit: 5
return ("x"):rep(20000, ("y"):rep(10000))
