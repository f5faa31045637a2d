
local x = [==[ open ]]
