local function add(a: number, b: number): number
    return a + b
end
add(1) --! E0004
