local function both(): (number, string)
    return 1, "a"
end
local n, s = both()
local m: number, t: string = both()
local only: number = both()
local first: number, second: number, third: string = 1, both()
local function pass(): (number, string)
    return both()
end
local function add(a: number, b: string): string
    return a .. b
end
add(both())
