local x: number? = nil
local y: number? = 42
x = y
y = nil
local function f(a: number?, b: string?): number?
    return a
end
f()
f(1)
f(nil, "x")
