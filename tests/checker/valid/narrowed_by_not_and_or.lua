local function f(x: number?, y: number?): number
    if not x or not y then
        return 0
    end
    return x + y
end
local function g(x: number?, y: number?): number
    if not (x and y) then
        return 0
    end
    return x * y
end
