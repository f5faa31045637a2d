local pid = assert(process.spawn("shop:worker", "shop:pool"))
process.monitor(pid)
return process.unmonitor(pid)
