local function id(): number | string
    return 1
end
local n: number = id() --! E0001
