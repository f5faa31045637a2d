local function f(x: number?): number
    if x ~= nil then
        return x + 1
    else
        return 0
    end
end
