-- expect: error Internal more than 16 MB
-- limit: 5
return ("x"):rep(2e9)
