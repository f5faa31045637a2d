return process.spawn_linked("shop:worker", "shop:pool")
