setmetatable(_G, { __index = function(_, key) return key end })
return { main = function() return anything, at_all end }
