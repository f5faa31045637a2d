local uuid = require("uuid")
local check = require("check")

local DNS = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

local function main()
  for number, made in pairs({ [1] = uuid.v1(), [4] = uuid.v4(), [7] = uuid.v7() }) do
    check.eq(36, #made)
    check.eq(true, uuid.validate(made))
    check.eq(number, uuid.version(made))
    check.eq("RFC4122", uuid.variant(made))
  end
  -- RFC 9562, appendices A.2 and A.4.
  check.eq("5df41881-3aed-3515-88a7-2f4a814cf09e", uuid.v3(DNS, "www.example.com"))
  check.eq("2ed6657d-e927-568b-95e1-2665a8aea6a2", uuid.v5(DNS, "www.example.com"))

  local seen = {}
  for _ = 1, 100 do
    local id = uuid.v4()
    check.ok(not seen[id])
    seen[id] = true
  end

  check.eq({ version = 1, variant = "RFC4122", timestamp = 886630433, node = "00c04fd430c8" }, uuid.parse(DNS))
  check.eq(nil, uuid.parse(uuid.v4()).timestamp)
  check.eq(1645557742, uuid.parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F").timestamp)
  check.eq("NCS", uuid.variant("00000000-0000-0000-0000-000000000000"))
  check.eq("Microsoft", uuid.variant("00000000-0000-0000-c000-000000000000"))
  check.eq("Future", uuid.variant("00000000-0000-0000-e000-000000000000"))

  check.eq(DNS, uuid.format(DNS))
  check.eq("6ba7b8109dad11d180b400c04fd430c8", uuid.format(DNS, "simple"))
  check.eq("urn:uuid:" .. DNS, uuid.format("6ba7b8109dad11d180b400c04fd430c8", "urn"))
  check.fails(errors.INVALID, "unsupported format", uuid.format(DNS, "unknown"))

  for _, wrong in ipairs({ "", "not-a-uuid", DNS .. "-extra", DNS:sub(1, 23), "{" .. DNS .. "}", 123, {}, false }) do
    check.eq(false, uuid.validate(wrong))
    check.fails(errors.INVALID, "", uuid.parse(wrong))
    check.fails(errors.INVALID, "", uuid.version(wrong))
    check.fails(errors.INVALID, "", uuid.variant(wrong))
    check.fails(errors.INVALID, "", uuid.format(wrong))
    check.fails(errors.INVALID, "", uuid.v5(wrong, "name"))
  end
  check.eq(false, uuid.validate(nil))
  check.fails(errors.INVALID, "name must be a string", uuid.v3(DNS, nil))
end

return { main = main }
