return security.token_store("shop:tokens"):create(security.new_actor("shop:guest"), security.scope())
