local function f(x: number?): number
    local n = x or 0
    return n + (x or 1)
end
local function g(x: number?): boolean
    return x == nil or x > 0
end
