-- Base64 in both directions; the host's own code does the work.
local host = ...

return {
  encode = function(data)
    return host.sync("encode", data)
  end,
  decode = function(data)
    return host.sync("decode", data)
  end,
}
