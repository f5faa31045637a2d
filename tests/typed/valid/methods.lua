local Class = {}
Class.__index = Class
function Class.new(name: string): any return setmetatable({ name = name }, Class) end
function Class:greet(other: string?): string return self.name .. (other or "") end
local object: any = Class.new("a")
return object:greet("b") == "ab" and ("x"):rep(2) == "xx" and object:greet "c" == "ac"
