local text: string = [==[
local x: number = 1 ]] -- [[
]==]
--[[ type X = {broken ]]
local quoted: string = "type X = \z
   \x41\u{48}\065\"" -- : number
return #text > 5 and quoted == 'type X = AHA"' and text:find("number", 1, true) ~= nil
