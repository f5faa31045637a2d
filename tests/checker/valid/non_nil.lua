local function find(): {name: string}?
    return nil
end
local name: string = (find()!).name
local user = find()
print(user!.name)
