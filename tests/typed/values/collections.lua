type List = {number}
type Map = {[string]: {integer}}
type Open = {id: string, [string]: boolean | string}

assert(List:is({}) and List:is({ 1, 2.5 }) and Map:is({}) and Map:is({ a = { 1 } }))
says(select(2, List:is({ 1, "x" })), '`[2]`: expected number, got "x"')
says(select(2, List:is({ a = 1 })), 'expected an array, got a table with the key "a"')
says(select(2, List:is({ 1, nil, 3, n = 2 })), "expected an array, got a table")
says(select(2, Map:is({ a = { 1.5 } })), "`a[1]`: expected integer, got the number 1.5")
says(select(2, Map:is({ [1] = { 1 } })), "`[1]`: expected string, got the number 1")
assert(Open:is({ id = "x", more = true }))
says(select(2, Open:is({ id = "x", more = 1 })), "`more`: expected boolean | string, got the number 1")
