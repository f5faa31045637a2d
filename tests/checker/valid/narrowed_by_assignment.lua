local function f(x: string?): string
    if not x then
        x = "default"
    end
    local y: number | string = 1
    y = y + 1
    y = "text"
    return x .. y:upper()
end
