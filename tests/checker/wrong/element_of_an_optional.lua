local function head(list: {number}?): number
    return list[1] --! E0002
end
