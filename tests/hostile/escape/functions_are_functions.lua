-- expect: value "function function function"
return type(host.call) .. " " .. type(string.rep) .. " " .. type(channel.new().send)
