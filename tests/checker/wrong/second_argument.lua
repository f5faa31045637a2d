local function add(a: number, b: number): number
    return a + b
end
add(1, "2") --! E0001
