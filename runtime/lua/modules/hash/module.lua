-- Digests: every function takes byte strings and answers at once in the host's own code.
local host = ...

local function plain(name)
  return function(data, raw)
    return host.sync(name, data, raw)
  end
end

local function keyed(name)
  return function(data, secret, raw)
    return host.sync(name, data, secret, raw)
  end
end

return {
  md5 = plain("md5"),
  sha1 = plain("sha1"),
  sha256 = plain("sha256"),
  sha512 = plain("sha512"),
  hmac_md5 = keyed("hmac_md5"),
  hmac_sha1 = keyed("hmac_sha1"),
  hmac_sha256 = keyed("hmac_sha256"),
  hmac_sha512 = keyed("hmac_sha512"),
  fnv32 = function(data)
    return host.sync("fnv32", data)
  end,
  fnv64 = function(data)
    return host.sync("fnv64", data)
  end,
}
