type User = {name: string}
local user: User = {name = "a"}
user:save() --! E0003
