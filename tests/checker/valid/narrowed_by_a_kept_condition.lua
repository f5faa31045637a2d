local function f(x: number?, y: number | string): number
    local ok = x ~= nil
    if ok then
        return x
    end
    local kind = type(y)
    if kind == "string" then
        return #y
    end
    return y
end
