local function read(): string?
    return "x"
end
local function first(): string
    local line: string? = nil
    repeat
        line = read()
    until line ~= nil
    return line
end
