return assert(contract.get("shop:greeter")):with_context({ a = 1 })
