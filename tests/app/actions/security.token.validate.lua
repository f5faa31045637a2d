local tokens = security.token_store("shop:tokens")
local token = tokens:create(security.new_actor("shop:guest"), security.scope())
local actor, _, err = tokens:validate(token)
return actor, err
