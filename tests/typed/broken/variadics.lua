local function f(..., a: number) end
