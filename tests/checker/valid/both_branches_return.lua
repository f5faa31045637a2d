local function f(flag: boolean): number
    if flag then
        return 1
    else
        error("no")
    end
end
local function g(flag: boolean): number
    do
        return 1
    end
end
