local bytes, err = system.memory.allocated()
if err then error(err) end
return bytes > 0
