local function needs(value, message)
    if value == nil then
        error(message)
    end
end
local function f(x: string?): string
    needs(x, "x")
    return x .. "!"
end
