local function add(a: number, b: number): number
    return a + b
end
add(1, 2, 3) --! E0004
