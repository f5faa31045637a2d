local shelf, err = store.get("shop:shelf")
if not shelf then return nil, err end
local has, refused = shelf:has("mine")
return has ~= nil, refused
