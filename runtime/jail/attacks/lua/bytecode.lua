-- wants: run bytecode
local made = load("\27Lua", "x", "b")
return made and "it loaded"
