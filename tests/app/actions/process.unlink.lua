local pid = assert(process.spawn("shop:worker", "shop:pool"))
process.link(pid)
return process.unlink(pid)
