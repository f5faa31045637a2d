local shelf = store.get("shop:shelf")
shelf:set("read", 1)
return shelf:get("read")
