-- expect: contained
while true do host.post(host.task().name or "task1", "x", "", 1) end
