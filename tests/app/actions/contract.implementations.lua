return contract.find_implementations("shop:greeter")
