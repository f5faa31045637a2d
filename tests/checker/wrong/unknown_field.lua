type User = {name: string}
local user: User = {name = "a"}
print(user.nmae) --! E0003
