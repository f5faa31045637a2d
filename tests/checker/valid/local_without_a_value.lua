local f: (number) -> number
local n: number
n = 1
f = function(x: number): number
    return x
end
n = f(n)
