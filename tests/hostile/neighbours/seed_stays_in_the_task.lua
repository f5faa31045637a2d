-- expect: value true
math.randomseed(1)
local a = math.random(1, 1000000)
math.randomseed(1)
return a == math.random(1, 1000000)
