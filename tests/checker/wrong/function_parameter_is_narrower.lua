local function each(list: {number | string}, work: (number | string) -> ())
end
each({1}, function(n: number) end) --! E0001
