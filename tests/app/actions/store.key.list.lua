return store.get("shop:shelf"):list()
