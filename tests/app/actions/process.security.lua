return process.with_context({}):with_actor(security.new_actor("shop:other"))
