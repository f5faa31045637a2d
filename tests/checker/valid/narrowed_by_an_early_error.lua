local function f(x: string?): string
    if x == nil then
        error("x is needed")
    end
    return x .. "!"
end
