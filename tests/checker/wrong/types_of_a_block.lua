do
    type Id = number
    local id: Id = "a" --! E0001
end
type Id = string
local id: Id = 1 --! E0001
