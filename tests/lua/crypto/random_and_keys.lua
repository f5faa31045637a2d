local crypto = require("crypto")
local check = require("check")

local function main()
  check.eq(16, #crypto.random.bytes(16))
  check.eq(1048576, #crypto.random.bytes(1048576))
  check.ok(crypto.random.bytes(16) ~= crypto.random.bytes(16))
  check.ok(crypto.random.string(200):find("^%w+$"))
  check.ok(crypto.random.string(200, "ab"):find("^[ab]+$"))
  check.eq(3 * #"\u{e9}", #crypto.random.string(3, "\u{e9}"))
  check.eq(36, #crypto.random.uuid())
  for _, length in ipairs({ 0, -1, 1048577, 1.5, "many", 1 / 0 }) do
    check.fails(errors.INVALID, "length must be a whole number", crypto.random.bytes(length))
    check.fails(errors.INVALID, "length must be a whole number", crypto.random.string(length))
  end
  check.fails(errors.INVALID, "length", crypto.random.bytes())
  check.fails(errors.INVALID, "charset", crypto.random.string(10, ""))

  check.eq("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    crypto.hmac.sha256("Jefe", "what do ya want for nothing?"))
  check.eq(128, #crypto.hmac.sha512("key", ""))
  check.fails(errors.INVALID, "key cannot be empty", crypto.hmac.sha256("", "data"))

  -- RFC 7914, section 11.
  local hex = crypto.pbkdf2("passwd", "salt", 1, 64):gsub(".", function(byte)
    return string.format("%02x", byte:byte())
  end)
  check.eq("55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
    .. "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783", hex)
  check.eq(64, #crypto.pbkdf2("password", "salt", 1000, 64, "sha512"))
  check.fails(errors.INVALID, "unsupported hash function", crypto.pbkdf2("p", "s", 1, 32, "md5"))
  check.fails(errors.INVALID, "password cannot be empty", crypto.pbkdf2("", "s", 1, 32))
  check.fails(errors.INVALID, "salt cannot be empty", crypto.pbkdf2("p", "", 1, 32))
  check.fails(errors.INVALID, "iterations", crypto.pbkdf2("p", "s", 0, 32))
  check.fails(errors.INVALID, "iterations", crypto.pbkdf2("p", "s", 10000001, 32))
  check.fails(errors.INVALID, "iterations times key blocks", crypto.pbkdf2("p", "s", 10000000, 1024))
  check.fails(errors.INVALID, "key length", crypto.pbkdf2("p", "s", 1, 0))
  check.fails(errors.INVALID, "key length", crypto.pbkdf2("p", "s", 1, 100000))

  check.eq(true, crypto.constant_time_compare("hello", "hello"))
  check.eq(false, crypto.constant_time_compare("hello", "world"))
  check.eq(false, crypto.constant_time_compare("hello", "hell"))
  check.fails(errors.INVALID, "must be a string", crypto.constant_time_compare("a", nil))
end

return { main = main }
