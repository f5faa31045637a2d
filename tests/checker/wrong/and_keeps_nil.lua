local function double(n: number?): number
    return n and n * 2 --! E0002
end
