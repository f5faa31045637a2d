local function f(x: number?): number
    ::again::
    if x == nil then
        x = 1
        goto again
    end
    return x
end
