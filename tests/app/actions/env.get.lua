return env.get("SHOP_COLOUR")
