local function both(): (number, string)
    return 1, 2 --! E0001
end
