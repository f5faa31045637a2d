type Animal = {name: string}
local function each(list: {string}, work: (string) -> ()) end
each({"a"}, function(x: string | number) end)
each({"a"}, function() end)
local make: () -> number | string = function(): number return 1 end
