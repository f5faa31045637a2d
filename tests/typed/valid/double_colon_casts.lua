local data: any = { name = "x", n = 2 }
local name = data.name :: string
local sum = 1 + data.n :: number * 2
local less = data.n :: number < 3
local text = (data :: {name: string}).name .. data.name :: string .. "!"
local list = { data.n :: number, key = data.name :: string, [data.n :: any] = 1 }
local called = tostring(data.n :: number | string)
local value = data :: { [string]: any }
return name == "x" and sum == 5 and less and text == "xx!" and list.key == "x" and called == "2"
  and value.n == 2 and not (data.n :: number > 3)
