return contract.get("shop:greeter")
