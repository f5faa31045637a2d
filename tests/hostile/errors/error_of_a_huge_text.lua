-- expect: error Internal xxxx
error(("x"):rep(8000000), 0)
