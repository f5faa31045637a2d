local function f(options: {limit?: number}?): number
    options = options or {}
    local limit = options.limit or 10
    return limit + 1
end
