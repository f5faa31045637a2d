local double: (number) -> number = function(x: number): number
    return x * 2
end
local loose: (number, string) -> number = function(x)
    return x
end
local anything: function = double
local function apply(work: (number) -> number, n: number): number
    return work(n)
end
apply(double, 1)
apply(math.floor, 1.5)
apply(function(n) return n end, 2)
