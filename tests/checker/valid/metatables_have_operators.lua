type Vector = {x: number}
local function add(a: Vector, b: Vector): any
    return a + b
end
local function call(t: table): any
    return t()
end
