local function name(): string
    return "x"
end
local n: number = name() --! E0001
