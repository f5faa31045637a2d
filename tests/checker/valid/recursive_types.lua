type Tree = {value: number, children: {Tree}}
type Even = {next: Odd?}
type Odd = {next: Even?}
local t: Tree = {value = 1, children = {{value = 2, children = {}}}}
local function depth(tree: Tree): number
    local most = 0
    for _, child in ipairs(tree.children) do
        most = math.max(most, depth(child))
    end
    return most + 1
end
local e: Even = {next = {next = {}}}
