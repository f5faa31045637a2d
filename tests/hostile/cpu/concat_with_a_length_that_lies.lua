-- expect: error Internal `__len`
return table.concat(setmetatable({}, { __len = function() return 2 ^ 53 end }))
