local Account = {}
function Account:pay(amount: number): number
    return amount
end
Account:pay("all") --! E0001
