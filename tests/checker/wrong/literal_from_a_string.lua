type Status = "open" | "closed"
local function status(text: string): Status
    return text --! E0001
end
