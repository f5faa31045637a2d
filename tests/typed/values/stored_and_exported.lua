local function build()
  type Inner = {id: string @min_len(2)}
  return { Inner = Inner, name = "lib" }
end
local inner = build()
type Outer = {inner: inner.Inner, note?: other.Thing}
type Alias = inner.Inner
local types: {any} = { Outer, inner.Inner }

assert(types[1]:is({ inner = { id = "ab" }, note = print }))
says(select(2, types[1]:is({ inner = { id = "a" } })), "`inner.id`: length 1 is below the minimum length 2")
assert(Alias == inner.Inner and Alias:is({ id = "ab" }) and not Alias:is({}))
