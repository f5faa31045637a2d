-- Cryptography; the host's own code does all of it, keys are only passed through.
local host = ...

-- A function of `count` arguments; those that are missing are nil, more are ignored.
local function sync(name, count)
  return function(...)
    return host.sync(name, table.unpack({ ... }, 1, count))
  end
end

return {
  random = { bytes = sync("random_bytes", 1), string = sync("random_string", 2), uuid = sync("random_uuid", 0) },
  hmac = { sha256 = sync("hmac_sha256", 2), sha512 = sync("hmac_sha512", 2) },
  encrypt = { aes = sync("encrypt_aes", 3), chacha20 = sync("encrypt_chacha20", 3) },
  decrypt = { aes = sync("decrypt_aes", 3), chacha20 = sync("decrypt_chacha20", 3) },
  jwt = { encode = sync("jwt_encode", 3), verify = sync("jwt_verify", 4) },
  pbkdf2 = sync("pbkdf2", 5),
  constant_time_compare = sync("constant_time_compare", 2),
}
