local function go(name: string?)
    if name then
        local function shout(): string
            return name .. "!" --! E0002
        end
        name = nil
        shout()
    end
end
