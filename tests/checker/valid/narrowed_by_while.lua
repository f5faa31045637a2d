type Node = {value: number, next: Node?}
local function sum(list: Node?): number
    local total = 0
    local node: Node? = list
    while node do
        total = total + node.value
        node = node.next
    end
    return total
end
