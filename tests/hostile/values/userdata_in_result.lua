-- expect: error Invalid a `channel` can not cross
return { channel.new() }
