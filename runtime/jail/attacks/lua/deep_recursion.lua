-- wants: overflow the stack
local function down(n) return 1 + down(n + 1) end
local ok = pcall(down, 1)
if ok then return "it went on for ever" end
