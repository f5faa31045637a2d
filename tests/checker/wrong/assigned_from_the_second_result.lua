local function both(): (string, number)
    return "x", 1
end
local s: string, t: string = both() --! E0001
