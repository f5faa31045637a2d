local function count(flag: boolean): number
    if flag then
        return --! E0006
    end
    return 1
end
