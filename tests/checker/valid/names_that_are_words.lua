local type = type
local string = {upper = string.upper}
local function f(x: number | string): string
    if type(x) == "string" then
        return x
    end
    return string.upper("a")
end
