local function small(n: number?): boolean
    return n < 10 --! E0002
end
