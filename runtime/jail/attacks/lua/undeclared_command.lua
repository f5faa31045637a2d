-- wants: give a command that its modules do not offer
local answer, failure = process.send(process.pid(), "topic", 1)
return answer and "it was sent"
