local function f(list: {string}): string
    local found: string? = nil
    for _, each in ipairs(list) do
        found = each
        break
    end
    if not found then
        return ""
    end
    return found
end
