local shelf = store.get("shop:shelf")
local has, err = shelf:has("mine")
return has ~= nil, err
