-- wants: take all memory with text
local text = {}
for i = 1, 1e9 do text[i] = ("x"):rep(1000000) .. i end
return "it has a thousand terabytes"
