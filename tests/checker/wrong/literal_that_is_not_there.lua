type Status = "open" | "closed"
local s: Status = "ajar" --! E0001
