local function show(name: string?): string
    if name ~= nil then
        print(name .. "!")
    end
    return name .. "?" --! E0002
end
