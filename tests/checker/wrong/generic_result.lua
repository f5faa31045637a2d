type Result<T> = {ok: true, value: T} | {ok: false, message: string}
local function value(r: Result<number>): number
    if r.ok then
        return r.message --! E0003
    end
    return 0
end
