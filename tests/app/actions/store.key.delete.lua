local shelf, err = store.get("shop:shelf")
if not shelf then return nil, err end
local deleted, refused = shelf:delete("mine")
return deleted ~= nil, refused
