type Tree = {value: number, children?: {Tree}, parent?: Tree}
type Even = {next?: Odd, name: string}
type Odd = {next?: Even}
type Loop = Loop
type Choice = Choice | string

assert(Tree:is({ value = 1, children = { { value = 2 }, { value = 3, children = {} } } }))
says(select(2, Tree:is({ value = 1, children = { { value = "x" } } })), '`children[1].value`: expected number, got "x"')
local ring = { value = 1 }
ring.parent = ring
says(select(2, Tree:is(ring)), "at most 100 levels")
assert(Even:is({ name = "a", next = { next = { name = "b" } } }) and not Even:is({ name = "a", next = { next = {} } }))
assert(Loop:is(1) and Choice:is("x") and not Choice:is(1))
assert(Tree <= Tree and Even == Even and tostring(Tree) == "Tree")
