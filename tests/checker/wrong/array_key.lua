local list: {number} = {1}
local first: number = list["one"] --! E0001
