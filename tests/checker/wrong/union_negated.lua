local function text(v: number | string): string
    if type(v) ~= "number" then
        return v
    end
    return v:upper() --! E0003
end
