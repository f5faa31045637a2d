type Status =
  | "pending"
  | "done"
local value: number | string | nil = 1
local mask: integer = 6 | 1
return value == 1 and mask == 7
