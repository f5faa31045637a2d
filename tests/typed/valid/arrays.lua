local names: {string} = { "a" }
local grid: number[][] = { { 1 } }
local pairs_of: {{string}}, list: {number,} = { { "x" } }, { 1 }
return names[1] == "a" and grid[1][1] == 1 and pairs_of[1][1] == "x" and list[1] == 1
