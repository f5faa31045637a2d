-- expect: contained
-- limit: 5
return #(("x"):rep(1000):gsub("x", { x = ("y"):rep(1000000) }))
