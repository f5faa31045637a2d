-- expect: contained
-- jail: killed wall_clock
local p = ("a?"):rep(40) .. ("a"):rep(40)
return ("a"):rep(39):find(p)
