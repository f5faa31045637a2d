local function f(): (string?, error?)
    return nil, errors.new("x")
end
local v, err = f()
if err then
    print(err:message(), err:kind(), err:stack(), "failed: " .. err)
end
