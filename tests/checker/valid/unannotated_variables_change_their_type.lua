local function go(flag: boolean): any
    local value = "text"
    if flag then
        value = 1
    end
    local found
    for i = 1, 3 do
        found = i
        value = {}
    end
    return value, found + 1, #value
end
