local function show(name: string?): string
    if name then
        return ""
    end
    return "hello " .. name --! E0002
end
