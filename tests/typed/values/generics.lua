type Box<T> = {value: T}
type Pair<A, B> = {a: A, b: Box<B>}
type Texts = Box<string>
type TextAndNumber = Pair<string, number>
type Deep<T> = {inner?: Deep<{T}>, value: T}
type Numbers = Deep<number>
type Bounded<T: {name: string}> = {T}

assert(Texts:is({ value = "x" }) and TextAndNumber:is({ a = "x", b = { value = 1 } }))
says(select(2, Texts:is({ value = 1 })), "`value`: expected string, got the number 1")
says(select(2, TextAndNumber:is({ a = "x", b = { value = "y" } })), '`b.value`: expected number, got "y"')
assert(Numbers:is({ value = 1, inner = { value = { 1 } } }) and not Numbers:is({ value = 1, inner = { value = 1 } }))
assert(Box:is({ value = print }), "what nobody gives is any")
assert(Bounded:is({ { name = "x" } }) and not Bounded:is({ {} }), "or its constraint")
