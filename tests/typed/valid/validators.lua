type Age = number @min(0) @max(150)
type User = {name: string @min_len(1) @max_len(8), tags?: {string @min_len(1)} @min_len(1), mail: string @pattern("^.+@.+$")}
local count: integer @min(-1) = 0
local id: number @min(1) | string @min_len(1) = 1
return count == 0 and id == 1
