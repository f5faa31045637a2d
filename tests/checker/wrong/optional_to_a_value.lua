local function find(): string?
    return nil
end
local x: string = find() --! E0002
