local function f(x: number?, y: number?): boolean
    return x ~= nil and y ~= nil and x < y
end
local function g(list: {number}?): integer
    return list and #list or 0
end
