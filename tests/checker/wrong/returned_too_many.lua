local function one(): number
    return 1, 2 --! E0006
end
