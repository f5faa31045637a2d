-- expect: error Internal `__len`
table.insert(setmetatable({}, { __len = function() return 2 ^ 53 end }), 1, "x")
