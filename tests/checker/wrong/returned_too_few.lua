local function both(): (number, string)
    return 1 --! E0006
end
