local function try(): (boolean, string?)
    return true, nil
end
local function go(): string
    local ok, message = try()
    if not ok then
        return "failed: " .. message
    end
    return "done"
end
