-- containment: jail
-- modules: env
-- jail: killed budget
for _ = 1, 2000 do coroutine.spawn(function() env.get("A") end) end
channel.new():receive()
