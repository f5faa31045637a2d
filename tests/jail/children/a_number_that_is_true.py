# expect: Internal | has not the fields of its kind
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.CALL, True, "env.get", [])
crafted.wait_for_ever()
