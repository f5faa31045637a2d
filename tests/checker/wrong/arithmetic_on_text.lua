local function main(): boolean
    local x = "hello" + 42 --! E0007
    return true
end
