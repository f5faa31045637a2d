local function find(): string?
    return nil
end
local function show(name: string?)
    if not name then
        return
    end
    while true do
        print(name .. "!") --! E0002
        name = find()
    end
end
