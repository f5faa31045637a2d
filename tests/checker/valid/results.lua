type Result<T, E> = {ok: true, value: T} | {ok: false, error: E}
local function parse(text: string): Result<number, string>
    local n = tonumber(text)
    if not n then
        return {ok = false, error = "no number"}
    end
    return {ok = true, value = n}
end
local function value(text: string): number
    local result = parse(text)
    if result.ok then
        return result.value
    end
    print(result.error:upper())
    return 0
end
