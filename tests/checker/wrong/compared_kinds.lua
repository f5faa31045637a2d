local n: number = 1
local s: string = "a"
print(n < s) --! E0007
