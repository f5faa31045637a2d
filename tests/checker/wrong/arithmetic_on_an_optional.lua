local function next_of(n: number?): number
    return n + 1 --! E0002
end
