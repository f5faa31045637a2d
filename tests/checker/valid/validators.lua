type User = {age: number @min(0) @max(150), name: string @min_len(1)}
local u: User = {age = 1, name = "a"}
local email: string @pattern("^.+@.+$") = "a@b.c"
local scores: {number @min(0)} = {1, 2}
local id: number @min(1) | string @min_len(1) = 1
