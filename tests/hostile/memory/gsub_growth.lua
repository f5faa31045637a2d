-- expect: contained
-- limit: 5
return #(("x"):rep(10000):gsub("x", ("y"):rep(10000)))
