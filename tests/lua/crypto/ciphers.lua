local crypto = require("crypto")
local check = require("check")

local KEY = string.rep("k", 32)

local function main()
  for _, cipher in ipairs({ "aes", "chacha20" }) do
    local encrypt, decrypt = crypto.encrypt[cipher], crypto.decrypt[cipher]
    for _, plain in ipairs({ "Hello, World!", "", "\0\255", string.rep("x", 100000) }) do
      local sealed = encrypt(plain, KEY)
      check.eq(#plain + 12 + 16, #sealed)
      check.eq(plain, decrypt(sealed, KEY))
    end
    check.ok(encrypt("same", KEY) ~= encrypt("same", KEY), "each nonce is new")
    local sealed = encrypt("text", KEY, "aad")
    check.eq("text", decrypt(sealed, KEY, "aad"))
    check.fails(errors.INTERNAL, "decryption failed", decrypt(sealed, KEY, "other"))
    check.fails(errors.INTERNAL, "decryption failed", decrypt(sealed, KEY))
    check.fails(errors.INTERNAL, "decryption failed", decrypt(sealed, string.rep("x", 32), "aad"))
    check.fails(errors.INTERNAL, "decryption failed", decrypt(sealed:sub(1, -2) .. "?", KEY, "aad"))
    check.fails(errors.INVALID, "too short", decrypt("short", KEY))
    check.fails(errors.INVALID, "32 bytes", encrypt("text", "short"))
    check.fails(errors.INVALID, "must be a string", encrypt(nil, KEY))
    check.fails(errors.INVALID, "must be a string", encrypt("text", nil))
  end
  check.eq("test", crypto.decrypt.aes(crypto.encrypt.aes("test", KEY:sub(1, 16)), KEY:sub(1, 16)))
  check.eq("test", crypto.decrypt.aes(crypto.encrypt.aes("test", KEY:sub(1, 24)), KEY:sub(1, 24)))
end

return { main = main }
