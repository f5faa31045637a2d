local function greet(name: string): string
    return "hello " .. name
end
greet(42) --! E0001
