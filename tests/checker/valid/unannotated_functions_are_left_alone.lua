local function strange()
    local s = "10" + 5
    local t = {}
    t.x.y = 1
    return s, ("x")(), pcall(function() return "a" + {} end)
end
local n: number = strange()
