local function f(x: unknown): number
    if type(x) == "number" then
        return x
    end
    if type(x) == "table" then
        return x.count
    end
    return x.anything and 1 or 2
end
