local function serve(): number
    while true do
        print("x")
    end
end
local function wait(): number
    repeat
        local done = print()
    until false
end
