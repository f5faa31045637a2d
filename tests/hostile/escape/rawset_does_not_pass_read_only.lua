-- expect: error Internal attempt to modify a read-only table
rawset(string, "format", function() return "poisoned" end)
