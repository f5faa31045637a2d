return process.exec("shop:quick", "shop:pool")
