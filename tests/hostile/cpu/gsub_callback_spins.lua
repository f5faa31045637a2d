-- expect: timeout
return (("x"):rep(10):gsub("x", function() while true do end end))
