local function f(): number
    local found: number? = nil
    local function set()
        found = 1
    end
    set()
    if found then
        return found
    end
    return 0
end
