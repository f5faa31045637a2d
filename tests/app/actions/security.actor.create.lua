return security.new_actor("shop:other")
