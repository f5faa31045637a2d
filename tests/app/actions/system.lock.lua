local held, err = system.lock.acquire("stock")
if err then error(err) end
return system.lock.release("stock")
