local M = {}
function M.read(path: string): string
    return path
end
M.read = function() return 1 end
local n: number = M.read()
return M
