local function f(a, b)
    if a then
        return a + b
    end
    return "text"
end
local x = f(1)
x = {}
x.y = f(1, 2, 3, 4)
x = x.y.z
local s: string = x
print(x + 1, #x, x .. "", x(), s)
