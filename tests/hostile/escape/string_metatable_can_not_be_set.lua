-- expect: value false
return (pcall(setmetatable, "", {}))
