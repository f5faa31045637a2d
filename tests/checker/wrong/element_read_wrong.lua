local list: {number} = {1}
local first: string = list[1] --! E0001
