local function count(): number
    local n = 1
end --! E0006
