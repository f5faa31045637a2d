local x = y
z as = 1
