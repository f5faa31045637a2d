-- expect: contained
-- limit: 5
local function deep() local ok, err = pcall(deep) return ok, err end
deep()
return "contained"
