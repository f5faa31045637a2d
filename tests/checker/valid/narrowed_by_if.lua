local function f(x: number?): number
    if x then
        return x
    end
    return 0
end
