type Status = "pending" | "active" | "done"
local s: Status = "pending"
s = "active"
local name = "done"
s = name
local all: {Status} = {"pending", "done"}
local level: 1 | 2 | 3 = 2
local function next_of(status: Status): Status
    if status == "pending" then
        return "active"
    end
    return "done"
end
s = next_of(s)
local text: string = s
