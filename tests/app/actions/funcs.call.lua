return funcs.call("shop:hello")
