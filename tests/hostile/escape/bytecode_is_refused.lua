-- expect: error Internal `load` is not available in the sandbox
return load("\27Lua", "x", "b")
