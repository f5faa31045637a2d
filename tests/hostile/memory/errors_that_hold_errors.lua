-- expect: contained
-- jail: killed wall_clock
-- limit: 1
local err = errors.new("x")
for index = 1, 1e7 do err = errors.new({ message = ("x"):rep(1000) .. index, details = { inner = err } }) end
return nil, err
