local pid = assert(process.spawn("shop:worker", "shop:pool"))
return process.registry.register("walk.foreign", pid)
