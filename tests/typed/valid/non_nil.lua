local user: {name: string?}? = { name = "n" }
local name = (user!).name
local upper = user!.name!:upper()
local length = #user!.name!
local list: {number}? = { 7 }
return name == "n" and upper == "N" and length == 1 and list![1] == 7 and user! ~= nil
