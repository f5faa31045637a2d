return assert(contract.open("shop:greets")):greet()
