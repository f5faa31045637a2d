type User = {name: string, age: number}
local user: User = {
    name = "a",
    age = "old", --! E0001
}
