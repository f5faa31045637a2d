local a = 1
local b = [[x
y]]
return a == 1
