local function clear(list: {number})
    list[1] = nil
end
local list: readonly {number} = {1, 2}
clear(list) --! E0008
