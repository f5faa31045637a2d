type User = {name: string, nick: string?}
local function nick(): string?
    return nil
end
local user: User = {
    name = nick(), --! E0002
    nick = nick(),
}
