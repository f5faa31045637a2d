local function get(flag: boolean): number?
    if flag then
        return 1
    end
end
local function nothing(): nil
end
local function anything(): any
end
