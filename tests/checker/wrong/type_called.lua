type User = {name: string}
local data: any = {}
local user = User(data)
print(user.age) --! E0003
