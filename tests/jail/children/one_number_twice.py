# expect: Internal | call 7 was made twice
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.CALL, 7, "env.get", ["wait"])
crafted.send(crafted.CALL, 7, "env.get", ["wait"])
crafted.wait_for_ever()
