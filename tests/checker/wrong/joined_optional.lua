local function hello(name: string?): string
    return "hello " .. name --! E0002
end
