type Cache = {value: string?, load: (self: Cache) -> ()}
local function get(cache: Cache): string
    cache.value = nil
    cache:load()
    return cache.value or ""
end
local function keep(cache: Cache): string
    if cache.value then
        cache:load()
        return cache.value
    end
    return ""
end
