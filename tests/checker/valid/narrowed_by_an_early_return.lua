local function f(x: string?): string
    if not x then return "" end
    return x:upper()
end
