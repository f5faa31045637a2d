-- wants: reach the debug library
local info = debug.getinfo
return info and "it has it"
