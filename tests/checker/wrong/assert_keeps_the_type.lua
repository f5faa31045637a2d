local function find(): number?
    return 1
end
local s: string = assert(find()) --! E0001
