type User = {name: string, age: number, nick?: string}
local u: User = {name = "a", age = 1}
local v: User = {name = "a", age = 1, nick = "b", extra = true}
u.age = u.age + 1
u.nick = nil
u.nick = v.nick
local w: {name: string, age: number} = u
print(u["name"], w.name)
