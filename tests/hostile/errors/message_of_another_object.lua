-- expect: error Internal error expected
return errors.new("x").message(channel.new())
