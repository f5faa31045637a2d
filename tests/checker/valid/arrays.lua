local list: {number} = {1, 2, 3}
local other: number[] = list
list[#list + 1] = 4
list[1] = nil
table.insert(list, 5)
table.insert(list, 1, 6)
local last: number? = table.remove(list)
local grid: {{number}} = {{1, 2}, {3, 4}}
local total: number = 0
for i, each in ipairs(list) do
    total = total + each * i + grid[1][2]
end
for i = 1, #list do
    total = total + list[i]
end
