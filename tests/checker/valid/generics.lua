local function identity<T>(x: T): T
    return x
end
local n: number = identity(42)
local s: string = identity("hello")
local function pair<K, V>(key: K, value: V): {key: K, value: V}
    return {key = key, value = value}
end
local p: {key: string, value: number} = pair("age", 30)
local function first<T>(list: {T}): T?
    return list[1]
end
local f: number? = first({1, 2, 3})
local function map<T, U>(list: {T}, change: (T) -> U): {U}
    local out: {U} = {}
    for i, each in ipairs(list) do
        out[i] = change(each)
    end
    return out
end
local texts: {string} = map({1, 2}, function(x: number): string return tostring(x) end)
local free: {number} = map({1, 2}, function(x) return x end)
