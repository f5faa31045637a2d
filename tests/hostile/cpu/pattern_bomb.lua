-- expect: timeout
return (("a"):rep(10000):find(".-.-.-.-b$"))
