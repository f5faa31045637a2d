-- Allowed, it gets as far as to be told that variables of the operating system stay as they are.
return env.set("SHOP_COLOUR", "red")
