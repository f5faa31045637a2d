-- expect: timeout
return (("a"):rep(20000):gsub("(.-)(.-)(.-)b", "%1"))
