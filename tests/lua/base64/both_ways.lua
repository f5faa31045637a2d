local base64 = require("base64")
local check = require("check")

local function main()
  for plain, encoded in pairs({
    [""] = "", ["a"] = "YQ==", ["ab"] = "YWI=", ["abc"] = "YWJj", ["hello"] = "aGVsbG8=", ["\0\255\254"] = "AP/+",
  }) do
    check.eq(encoded, base64.encode(plain))
    check.eq(plain, base64.decode(encoded))
  end
  check.eq("hello", base64.decode("aGVs\r\nbG8=\n"))
  check.fails(errors.INVALID, "illegal base64 data at input byte 0", base64.decode("!!!invalid!!!"))
  check.fails(errors.INVALID, "byte 4", base64.decode("aGVs_G8="))
  for _, wrong in ipairs({ "a", "aGVsbG8", "aGVsbG8==", "YQ=", "=", "YQ==YQ==" }) do
    check.fails(errors.INVALID, "illegal base64", base64.decode(wrong))
  end
  check.fails(errors.INVALID, "must be a string", base64.decode(nil))
  check.fails(errors.INVALID, "must be a string", base64.encode({}))
  check.fails(errors.INVALID, "limit", base64.encode(string.rep("x", 12 * 1024 * 1024)))
end

return { main = main }
