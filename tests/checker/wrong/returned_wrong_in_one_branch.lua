local function count(flag: boolean): number
    if flag then
        return 1
    end
    return "none" --! E0001
end
