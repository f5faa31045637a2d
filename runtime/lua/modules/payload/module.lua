-- Payloads: a value and the name of its format. Those of the format lua/any and of errors hold the value itself.
local host = ...

local FORMAT = {
  JSON = "json/plain", YAML = "yaml/plain", STRING = "text/plain", BYTES = "application/octet-stream",
  MSGPACK = "application/msgpack", LUA = "lua/any", GOLANG = "golang/any", ERROR = "golang/error",
}
local OPEN = { [FORMAT.LUA] = true, [FORMAT.GOLANG] = true, [FORMAT.ERROR] = true }
local CODED = {
  [FORMAT.JSON] = true, [FORMAT.YAML] = true, [FORMAT.STRING] = true, [FORMAT.BYTES] = true, [FORMAT.MSGPACK] = true,
}

local new_payload, payload_of

local function own(self)
  local state = payload_of(self)
  if not state then
    error("call this as a method of a Payload, with `:`", 3)
  end
  return state
end

local function internal(message)
  return nil, host.error("Internal", message, nil, false)
end

local function value_of(state)
  if OPEN[state.format] then
    return state.value
  end
  return host.sync("decode", state.value, state.format)
end

new_payload, payload_of = host.class("payload.Payload", {
  methods = {
    get_format = function(self)
      return own(self).format
    end,

    data = function(self)
      return value_of(own(self))
    end,

    unmarshal = function(self)
      return value_of(own(self))
    end,

    transcode = function(self, format)
      local state = own(self)
      if format == state.format then
        return self
      end
      if type(format) ~= "string" or not (CODED[format] or format == FORMAT.LUA) then
        return internal("cannot transcode to `" .. tostring(format) .. "`: see payload.format")
      end
      if state.format == FORMAT.ERROR then
        return internal("an error has no form as " .. format)
      end
      local value, err = value_of(state)
      if err then
        return nil, err
      end
      if CODED[format] then
        value, err = host.sync("encode", value, format)
        if err then
          return nil, err
        end
      end
      return new_payload({ format = format, value = value })
    end,
  },
  tostring = function(self)
    return "payload{" .. payload_of(self).format .. "}"
  end,
  -- Across a boundary a payload is the value that it carries.
  data = function(state)
    return state.value
  end,
})

return {
  format = FORMAT,
  new = function(value)
    return new_payload({ format = host.is_error(value) and FORMAT.ERROR or FORMAT.LUA, value = value })
  end,
}
