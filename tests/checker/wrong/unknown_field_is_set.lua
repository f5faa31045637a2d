type User = {name: string}
local user: User = {name = "a"}
user.age = 1 --! E0003
