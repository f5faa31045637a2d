local function double(n: number): number
    return n * 2
end
local function go(n: number?): number
    return double(n) --! E0002
end
