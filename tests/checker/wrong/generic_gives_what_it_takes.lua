local function same<T>(x: T): T
    return x
end
local n: number = same("text") --! E0001
