local function pick(flag: boolean): number
    local found: number = 0
    if flag then
        found = "yes" --! E0001
    end
    return found
end
