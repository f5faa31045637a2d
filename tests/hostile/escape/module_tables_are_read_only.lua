-- expect: error Internal attempt to modify a read-only table
host.call = function() return "mine" end
