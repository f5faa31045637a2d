type Scores = {[string]: number}
type Mixed = {id: string, [integer]: boolean}
local lookup: {[number]: {[string]: string}} = { { a = "b" } }
return lookup[1].a == "b"
