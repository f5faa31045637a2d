local pid = assert(process.spawn("shop:worker", "shop:pool"))
return process.cancel(pid)
