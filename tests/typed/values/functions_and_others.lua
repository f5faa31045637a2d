type Callback = (number, string) -> (boolean, string)
type Anything = {f: function, e?: error, t: table, a: any, u: unknown, n: never?}
local callable = setmetatable({}, { __call = function() end })

assert(Callback:is(print) and Callback:is(callable))
says(select(2, Callback:is({})), "expected a function (number, string) -> (boolean, string), got table")
assert(Anything:is({ f = print, t = {}, e = errors.new("x") }) and Anything:is({ f = print, t = {}, e = "x" }))
assert(not Anything:is({ f = print, t = 1 }) and not Anything:is({ f = print, t = {}, n = 1 }))
