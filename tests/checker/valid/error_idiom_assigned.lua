local function fetch(url: string): (string?, string?)
    return url, nil
end
local function size(): number
    local body, err
    body, err = fetch("a")
    if err then return 0 end
    local first = #body
    body, err = fetch("b")
    if err == nil then
        return first + #body
    end
    return first
end
