-- wants: load a library of the system
return package.loadlib("libc.so.6", "*") and "it loaded"
