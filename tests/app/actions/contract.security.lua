return assert(contract.get("shop:greeter")):with_actor(security.new_actor("shop:other"))
