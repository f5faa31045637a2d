local function main(): boolean
    local s: string = "x"
    return s("y") --! E0005
end
