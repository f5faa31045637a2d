local hash = require("hash")
local check = require("check")

local function main()
  check.eq("5d41402abc4b2a76b9719d911017c592", hash.md5("hello"))
  check.eq("aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d", hash.sha1("hello"))
  check.eq("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", hash.sha256("hello"))
  check.eq(128, #hash.sha512("hello"))
  check.eq("d41d8cd98f00b204e9800998ecf8427e", hash.md5(""))
  check.eq(32, #hash.sha256("hello", true))
  check.eq(64, #hash.sha256("hello", false))
  check.eq("a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89", hash.sha256("\255"))

  -- RFC 2104 and RFC 4231, test case 2.
  check.eq("750c783e6ab0b503eaa86e310a5db738", hash.hmac_md5("what do ya want for nothing?", "Jefe"))
  check.eq("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    hash.hmac_sha256("what do ya want for nothing?", "Jefe"))
  check.eq({ 20, 40, 64 }, { #hash.hmac_sha1("a", "b", true), #hash.hmac_sha1("a", "b"), #hash.hmac_sha512("a", "b", true) })

  check.eq(0x811c9dc5, hash.fnv32(""))
  check.eq(0x4f9f2cab, hash.fnv32("hello"))
  check.eq(-6615550055289275125, hash.fnv64("hello"))
  check.eq("integer", math.type(hash.fnv64("hello")))

  for _, name in ipairs({ "md5", "sha1", "sha256", "sha512", "fnv32", "fnv64" }) do
    check.fails(errors.INVALID, "data must be a string", hash[name](nil))
    check.fails(errors.INVALID, "data must be a string", hash[name](5))
  end
  check.fails(errors.INVALID, "secret must be a string", hash.hmac_sha256("data", nil))
end

return { main = main }
