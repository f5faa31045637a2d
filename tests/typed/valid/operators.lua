local a: integer, b: integer = 7, 2
local value = a // b | 1 ~ 2 & 3 << 1 >> 1
local power = -2 ^ 2 ^ 0.5
local less: boolean = a < b == false and a >= b ~= false
return value == 3 | 1 ~ 2 & 3 << 1 >> 1 and power < 0 and less and not (a == b) and #"x" .. "y" == "1y" and ~0 == -1
