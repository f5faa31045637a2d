-- expect: contained
-- limit: 5
local err = "x"
for i = 1, 100 do err = errors.wrap(err, ("y"):rep(i * 20000)) end
return nil, err
