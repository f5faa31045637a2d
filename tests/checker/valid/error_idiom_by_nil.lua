local function fetch(url: string): (string?, {number}?, string?)
    return url, {}, nil
end
local function size(url: string): number
    local body, list, err = fetch(url)
    if err ~= nil then
        return 0
    end
    return #body + #list
end
