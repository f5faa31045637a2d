return process.spawn_monitored("shop:worker", "shop:pool")
