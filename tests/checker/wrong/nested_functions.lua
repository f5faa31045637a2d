local function outer(): number
    local function inner(): string
        return 1 --! E0001
    end
    return inner() --! E0001
end
