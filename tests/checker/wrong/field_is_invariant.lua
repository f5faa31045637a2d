type Narrow = {id: string}
type Wide = {id: string | number}
local n: Narrow = {id = "a"}
local w: Wide = n --! E0001
