-- Model drivers, for bundled code alone. Commands that the host offers:
--   call llm.generate (request: table) -> answer table; raises what the driver raises
--   call llm.select ({model}) -> {model, provider, scripted, host, credential}
local host = ...

return {
  generate = function(request)
    if type(request) ~= "table" then
      return nil, host.error("Invalid", "request must be a table", nil, false)
    end
    return host.call("llm.generate", request)
  end,

  select = function(options)
    return host.call("llm.select", options or {})
  end,
}
