type Point = {readonly x: number, readonly y: number}
local p: Point = {x = 1, y = 2}
local function total(list: readonly {number}): number
    local sum = 0
    for _, each in ipairs(list) do
        sum = sum + each
    end
    return sum
end
local list: {number} = {1, 2}
total(list)
local wide: readonly {number | string} = list
print(p.x, wide[1])
