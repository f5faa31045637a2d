local _, err = system.runtime.max_procs(2)
if err:kind() == "Unavailable" then return true end
error(err)
