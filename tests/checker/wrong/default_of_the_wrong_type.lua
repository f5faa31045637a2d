local function name(): string?
    return nil
end
local n: string = name() or 0 --! E0001
