local function f(x: number?): number
    if x == nil then
        return 0
    end
    return x
end
