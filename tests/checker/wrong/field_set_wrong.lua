type User = {name: string, age: number}
local user: User = {name = "a", age = 1}
user.age = "old" --! E0001
