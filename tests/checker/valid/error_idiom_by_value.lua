local function fetch(url: string): (string?, error?)
    return url
end
local function size(url: string): number
    local body, err = fetch(url)
    if not body then
        error("failed: " .. err:message())
    end
    return #body
end
