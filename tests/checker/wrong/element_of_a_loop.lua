local list: {number} = {1}
for _, each in ipairs(list) do
    local text: string = each --! E0001
end
