type Box<T> = {value: T}
type Pair<A, B> = {first: A, second: B}
local box: Box<number> = {value = 1}
local pair: Pair<string, Box<number>> = {first = "a", second = box}
local function open<T>(b: Box<T>): T
    return b.value
end
local n: number = open(box) + pair.second.value
local loose: Box = {value = "anything"}
