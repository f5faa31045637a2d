local function f(x: number | string): string
    if type(x) ~= "string" then
        return tostring(x * 2)
    end
    return x
end
