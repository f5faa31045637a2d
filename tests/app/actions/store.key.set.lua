local shelf, err = store.get("shop:shelf")
if not shelf then return nil, err end
return shelf:set("mine", 1)
