-- expect: error  x
local err = errors.new("x")
for _ = 1, 30 do err = errors.new({ message = "x", details = { inner = err } }) end
return nil, err
