-- modules: base64 json
local crypto = require("crypto")
local base64 = require("base64")
local json = require("json")
local check = require("check")

local function segment(value)
  return (base64.encode(type(value) == "table" and json.encode(value) or value):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" }))
end

local function main()
  local claims = { sub = "user123", name = "Test User", exp = os.time() + 10 ^ 9 // 1 | 0, n = 1.5 }
  for _, algorithm in ipairs({ "HS256", "HS384", "HS512" }) do
    local token = crypto.jwt.encode(claims, "secret", algorithm)
    check.eq(claims, crypto.jwt.verify(token, "secret", algorithm))
    check.fails(errors.INTERNAL, "signature", crypto.jwt.verify(token, "wrong", algorithm))
  end
  local token = crypto.jwt.encode(claims, "secret")
  check.eq("user123", crypto.jwt.verify(token, "secret").sub)
  check.fails(errors.INTERNAL, "signed by `HS384`", crypto.jwt.verify(crypto.jwt.encode(claims, "s", "HS384"), "s"))
  check.fails(errors.INTERNAL, "signature", crypto.jwt.verify(token:sub(1, -3) .. "xx", "secret"))

  local with_header = crypto.jwt.encode({ sub = "a", exp = claims.exp, _header = { kid = "k1", alg = "none" } }, "secret")
  check.eq({ sub = "a", exp = claims.exp }, crypto.jwt.verify(with_header, "secret"))

  -- What was not signed, or by another rule, is refused.
  local unsigned = segment({ alg = "none" }) .. "." .. segment(claims) .. "."
  check.fails(errors.INTERNAL, "signed by `none`", crypto.jwt.verify(unsigned, "secret"))
  check.fails(errors.INTERNAL, "malformed", crypto.jwt.verify("abc", "secret"))
  check.fails(errors.INTERNAL, "header", crypto.jwt.verify("invalid.token.here", "secret"))
  check.fails(errors.INTERNAL, "header", crypto.jwt.verify(segment("[1]") .. "." .. segment(claims) .. ".x", "secret"))
  check.fails(errors.INTERNAL, "malformed", crypto.jwt.verify(string.rep("a", 100000), "secret"))

  local expired = crypto.jwt.encode({ exp = 1 }, "secret")
  check.fails(errors.INTERNAL, "expired", crypto.jwt.verify(expired, "secret"))
  check.fails(errors.INTERNAL, "expired", crypto.jwt.verify(expired, "secret", "HS256", false))
  local endless = crypto.jwt.encode({ sub = "a" }, "secret")
  check.fails(errors.INTERNAL, "no `exp`", crypto.jwt.verify(endless, "secret"))
  check.eq({ sub = "a" }, crypto.jwt.verify(endless, "secret", "HS256", false))
  check.fails(errors.INTERNAL, "not valid yet",
    crypto.jwt.verify(crypto.jwt.encode({ nbf = claims.exp }, "secret"), "secret", nil, false))
  check.fails(errors.INTERNAL, "expired", crypto.jwt.verify(crypto.jwt.encode({ exp = "soon" }, "secret"), "secret"))

  check.fails(errors.INVALID, "unsupported algorithm", crypto.jwt.encode(claims, "secret", "none"))
  check.fails(errors.INVALID, "unsupported algorithm", crypto.jwt.verify(token, "secret", "none"))
  check.fails(errors.INVALID, "key cannot be empty", crypto.jwt.encode(claims, ""))
  check.fails(errors.INVALID, "table of claims", crypto.jwt.encode("claims", "secret"))
  check.fails(errors.INVALID, "RSA private key", crypto.jwt.encode(claims, "secret", "RS256"))
  check.fails(errors.INVALID, "RSA public key", crypto.jwt.verify(
    segment({ alg = "RS256" }) .. "." .. segment(claims) .. ".eA", "secret", "RS256"))
  check.fails(errors.INVALID, "no JSON form", crypto.jwt.encode({ a = 0 / 0 }, "secret"))
end

return { main = main }
