local function fail(message: string): never
    error(message)
end
local function f(x: string?): string
    if not x then
        fail("x is needed")
    end
    return x
end
