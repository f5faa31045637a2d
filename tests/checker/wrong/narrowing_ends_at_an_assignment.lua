local function find(): string?
    return nil
end
local function show(name: string?): string
    if name then
        name = find()
        return name .. "!" --! E0002
    end
    return ""
end
