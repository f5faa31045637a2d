local function sum(...: number): number
    return select("#", ...)
end
sum(1, 2, "3") --! E0001
