local tokens = security.token_store("shop:tokens")
local token = tokens:create(security.new_actor("shop:guest"), security.scope())
return tokens:revoke(token)
