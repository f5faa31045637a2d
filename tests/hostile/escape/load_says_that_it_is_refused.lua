-- expect: error Internal `load` is not available in the sandbox
return load("return 1")()
