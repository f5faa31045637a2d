return store.get("shop:shelf")
