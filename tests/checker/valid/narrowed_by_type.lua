local function f(x: number | string | {number} | nil): string
    if type(x) == "number" then
        return tostring(x + 1)
    elseif type(x) == "string" then
        return x:upper()
    elseif type(x) == "table" then
        return tostring(#x)
    end
    return "nil"
end
