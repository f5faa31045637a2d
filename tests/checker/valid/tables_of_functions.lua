local handlers: {[string]: (number) -> number} = {
    double = function(n: number): number return n * 2 end,
    same = function(n) return n end,
}
local function run(name: string): number
    local handler = handlers[name]
    if not handler then
        return 0
    end
    return handler(1)
end
