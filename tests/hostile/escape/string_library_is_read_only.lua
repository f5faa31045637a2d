-- expect: error Internal attempt to modify a read-only table
string.format = function() return "poisoned" end
