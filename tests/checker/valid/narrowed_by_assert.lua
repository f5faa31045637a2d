local function find(): string?
    return "x"
end
local function f(x: string?): string
    assert(x, "x is needed")
    local y = assert(find())
    return x .. y
end
local function g(x: number?): number
    assert(x ~= nil and x > 0)
    return x
end
