return store.get("shop:shelf"):info()
