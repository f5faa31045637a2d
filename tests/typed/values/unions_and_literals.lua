type Mode = "fast" | "safe"
type Mixed = Mode | 3 | true | nil
type Shape = {kind: "circle", r: number} | {kind: "box", w: number}
type Both = {a: number} & {b: string}

assert(Mode:is("fast") and Mixed:is(3) and Mixed:is(true) and select(2, Mixed:is(nil)) == nil)
says(select(2, Mode:is("slow")), 'expected "fast" | "safe", got "slow"')
says(select(2, Mixed:is(4)), 'expected Mode | 3 | true | nil, got the number 4')
assert(Shape:is({ kind = "box", w = 1 }) and not Shape:is({ kind = "box", r = 1 }))
assert(Both:is({ a = 1, b = "x" }))
says(select(2, Both:is({ a = 1 })), "`b`: expected string, got nil")
