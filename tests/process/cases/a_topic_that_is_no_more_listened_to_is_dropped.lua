--- main
return { main = function()
  local me, inbox = process.pid(), process.inbox()
  local topic = process.listen("topic")
  process.send(me, "topic", 1)
  assert(topic:receive() == 1 and process.unlisten(topic) == true)
  process.send(me, "topic", 2)
  process.send(me, "other", 3)
  assert(inbox:receive():topic() == "other")
  topic = process.listen("topic")
  process.send(me, "topic", 4)
  assert(topic:receive() == 4)
  return true
end }
