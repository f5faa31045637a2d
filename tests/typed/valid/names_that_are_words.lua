local type_of: string = type(1)
local as, readonly, typeof = 1, 2, 3
local string_of: number = as
local t = { type = as, as = readonly, readonly = typeof }
function t.as(self: any): number return self.readonly end
local type = function(x: any): string return "mine" end
return type_of == "number" and string_of == 1 and t:as() == 3 and type(1) == "mine"
