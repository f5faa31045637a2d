-- expect: error Internal can not wait inside a callback
local ch = channel.new()
return (("abc"):gsub("%a", function() ch:receive() end))
