local function f(a: string, b: string, n: number, x: any, e: number?): boolean
    return a < b and n <= 1 and x > n and e == nil and a == n
end
