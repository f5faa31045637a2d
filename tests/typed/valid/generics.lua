type Box<T> = {value: T}
type Pair<A, B: {name: string}> = {first: A, second: B}
type Nested = Box<Box<Box<string>>>
local function identity<T>(x: T): T return x end
local M = {}
function M.first<K, V>(map: {[K]: V}): V? return select(2, next(map)) end
function M:get<T>(x: T): Box<T> return { value = x } end
local box: Box<Box<number>>= { value = { value = 1 } }
local anonymous = function<T>(x: T): T return x end
return identity(1) == 1 and M.first({ a = 2 }) == 2 and M:get(3).value == 3 and box.value.value == 1
  and anonymous(4) == 4
