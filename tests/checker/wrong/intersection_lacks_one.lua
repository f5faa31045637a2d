type Named = {name: string}
type Aged = {age: number}
local p: Named & Aged = {name = "a"} --! E0001
