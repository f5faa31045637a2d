local function fetch(url: string): (string?, error?)
    return url, nil
end
local function size(url: string): integer
    local body, err = fetch(url)
    return #body --! E0002
end
