local function first<T>(list: {T}): T?
    return list[1]
end
local n: number? = first({"a", "b"}) --! E0001
