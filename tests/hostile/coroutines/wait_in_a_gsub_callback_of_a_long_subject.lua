-- expect: error Internal can not wait inside a callback
local ch = channel.new()
return (("abc "):rep(50000):gsub("(%a-)(%a-) ", function() ch:receive() end))
