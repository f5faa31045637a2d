local function first(list: {string}): string
    for _, each in ipairs(list) do
        return each
    end
end --! E0006
