local function sum(...: number): number
    local total: number = 0
    for _, v in ipairs({...}) do
        total = total + v
    end
    return total
end
sum()
sum(1, 2, 3)
local list = {1, 2}
sum(table.unpack(list))
local function pass(...: any): any
    return sum(...)
end
