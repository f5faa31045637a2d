-- expect: timeout
return setmetatable({}, { __concat = function() while true do end end }) .. "x"
