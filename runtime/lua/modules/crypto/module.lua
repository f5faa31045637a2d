-- Cryptography; the host's own code does all of it, keys are only passed through.
local host = ...

local function sync(name)
  return function(...)
    return host.sync(name, ...)
  end
end

return {
  random = { bytes = sync("random_bytes"), string = sync("random_string"), uuid = sync("random_uuid") },
  hmac = { sha256 = sync("hmac_sha256"), sha512 = sync("hmac_sha512") },
  encrypt = { aes = sync("encrypt_aes"), chacha20 = sync("encrypt_chacha20") },
  decrypt = { aes = sync("decrypt_aes"), chacha20 = sync("decrypt_chacha20") },
  jwt = { encode = sync("jwt_encode"), verify = sync("jwt_verify") },
  pbkdf2 = sync("pbkdf2"),
  constant_time_compare = sync("constant_time_compare"),
}
