local function size(list: {number}?): integer
    return #list --! E0002
end
