-- expect: value 0
local raw_next = pairs({})
local ch, err, found = channel.new(), errors.new("x"), 0
for _, object in ipairs({ ch, err, string, coroutine }) do
  if raw_next(object) ~= nil then found = found + 1 end
end
return found
