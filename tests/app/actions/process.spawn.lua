return process.spawn("shop:worker", "shop:pool")
