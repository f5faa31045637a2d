-- YAML in both directions; the host reads and writes it.
local host = ...

return {
  encode = function(data, options)
    return host.sync("encode", data, options)
  end,
  decode = function(text)
    return host.sync("decode", text)
  end,
}
