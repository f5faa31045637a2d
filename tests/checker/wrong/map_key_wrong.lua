local ages: {[string]: number} = {}
local function age(id: number): number
    return ages[id] --! E0001
end
