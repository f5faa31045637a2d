-- expect: error Internal raised a table
error(setmetatable({}, { __tostring = function() while true do end end, __index = function() while true do end end }))
