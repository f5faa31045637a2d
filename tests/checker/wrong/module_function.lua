local M = {}
function M.area(width: number, height: number): number
    return width * height
end
local a: string = M.area(1, 2) --! E0001
M.area(1) --! E0004
return M
