return funcs.new():with_actor(security.new_actor("shop:other")):call("shop:hello")
