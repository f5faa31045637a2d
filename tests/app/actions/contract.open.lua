return contract.open("shop:greets")
