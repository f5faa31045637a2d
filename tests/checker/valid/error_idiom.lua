local function fetch(url: string): (string?, error?)
    if url == "" then
        return nil, "an url is needed"
    end
    return url, nil
end
local function size(url: string): (number?, error?)
    local body, err = fetch(url)
    if err then
        return nil, err
    end
    return #body, nil
end
