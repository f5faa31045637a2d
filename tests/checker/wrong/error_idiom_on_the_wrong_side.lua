local function fetch(url: string): (string?, string?)
    return url, nil
end
local function size(url: string): integer
    local body, err = fetch(url)
    if not err then
        return 0
    end
    return #body --! E0002
end
