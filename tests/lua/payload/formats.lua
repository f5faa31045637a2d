local check = require("check")

local function main()
  local p = payload.new({ key = "value", list = { 1, 2 } })
  check.eq(payload.format.LUA, p:get_format())
  check.eq({ key = "value", list = { 1, 2 } }, p:data())
  check.eq({ key = "value", list = { 1, 2 } }, p:unmarshal())
  check.eq("payload{lua/any}", tostring(p))
  check.eq("userdata", type(p))
  check.eq(nil, payload.new(nil):data())
  check.eq(false, payload.new(false):data())
  check.eq(payload.format.ERROR, payload.new(errors.new("x")):get_format())
  check.eq("x", payload.new(errors.new("x")):data():message())

  for _, format in ipairs({ "JSON", "YAML", "MSGPACK" }) do
    local other, err = p:transcode(payload.format[format])
    check.ok(other, err)
    check.eq(payload.format[format], other:get_format())
    check.eq(p:data(), other:data())
    check.eq(p:data(), other:unmarshal())
    check.eq(payload.format.LUA, other:transcode(payload.format.LUA):get_format())
  end
  check.eq("text", payload.new("text"):transcode(payload.format.STRING):data())
  check.eq("\255", payload.new("\255"):transcode(payload.format.BYTES):data())
  check.eq(5, payload.new(5):transcode(payload.format.YAML):data())
  check.ok(p:transcode(payload.format.LUA) == p)

  check.fails(errors.INTERNAL, "cannot transcode", p:transcode("text/html"))
  check.fails(errors.INTERNAL, "cannot transcode", p:transcode(nil))
  check.fails(errors.INTERNAL, "no form", p:transcode(payload.format.STRING))
  check.fails(errors.INTERNAL, "no form", payload.new(errors.new("x")):transcode(payload.format.JSON))
  check.fails(errors.INTERNAL, "no form", payload.new(0 / 0):transcode(payload.format.JSON))
  check.raises("method of a Payload", p.data, {})
end

return { main = main }
