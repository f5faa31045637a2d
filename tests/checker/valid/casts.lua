local data: any = {}
type User = {name: string, tags?: {string}}
local user = data :: User
local other = data as User
print(user.name:upper(), other.tags and #other.tags)
local n: number = (data :: number) + 1
local s = string(data):upper()
local i: integer = integer(data)
local b: boolean = boolean(data)
local name = (user.tags!)[1]
