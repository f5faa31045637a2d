return funcs.new():with_context({ a = 1 }):call("shop:hello")
