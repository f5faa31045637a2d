-- expect: value {}
return setmetatable({}, { __index = function() error("asked") end, __tostring = function() error("asked") end })
