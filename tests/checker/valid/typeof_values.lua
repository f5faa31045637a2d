local list: {number} = {1}
local other: typeof(list) = {2, 3}
local name = "x"
local text: typeof(name) = "y"
