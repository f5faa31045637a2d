-- expect: contained
local signals = { false, 0, "", "kill", {}, print, channel.new() }
for index = 1, #signals do
  pcall(coroutine.wrap(function() coroutine.yield(signals[index]) error(signals[index]) end))
end
return "contained"
