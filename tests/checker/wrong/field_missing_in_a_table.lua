type User = {name: string, age: number}
local user: User = {name = "a"} --! E0001
