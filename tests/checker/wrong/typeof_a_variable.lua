local list: {number} = {1}
local other: typeof(list) = {"x"} --! E0001
