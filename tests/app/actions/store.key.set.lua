return store.get("shop:shelf"):set("mine", 1)
