local function text(v: number | string): string
    if type(v) == "number" then
        return v --! E0001
    end
    return v
end
