-- expect: value "raw"
local given = { path = "raw" }
local answer = host.call("echo", given)
answer.path = "changed"
return given.path
