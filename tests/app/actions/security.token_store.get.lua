return security.token_store("shop:tokens")
