local function fail(): error?
    return nil
end
local function text(): string
    local err = fail()
    return err:message() --! E0002
end
