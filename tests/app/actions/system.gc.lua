local done, err = system.gc.collect()
if err then error(err) end
return done
