local names: {string} = {"a"}
local ids: {string | number} = names --! E0001
