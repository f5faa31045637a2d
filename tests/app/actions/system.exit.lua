local done, err = system.exit(0)
if err then error(err) end
return done
