local shelf = store.get("shop:shelf")
local deleted, err = shelf:delete("mine")
return deleted ~= nil, err
