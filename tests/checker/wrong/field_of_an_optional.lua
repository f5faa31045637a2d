type User = {name: string}
local function show(user: User?): string
    return user.name --! E0002
end
