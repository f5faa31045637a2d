local t: table = function() end --! E0001
