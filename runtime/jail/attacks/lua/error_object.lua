-- wants: get an object of the host out of an error
-- modules: env
local ok, failure = pcall(function() env.get({}) end)
local kind = type(failure)
if kind == "userdata" then return "it is userdata" end
