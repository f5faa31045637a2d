-- wants: compile code outside its environment
local made = load and load("return _G")
if made then return "it compiled" end
