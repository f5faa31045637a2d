local shelf, err = store.get("shop:shelf")
if not shelf then return nil, err end
shelf:set("read", 1)
return shelf:get("read")
