do goto a end ::a:: ::b:: ; ::c::
local x = 1 ::d:: x = 2
return x == 2
