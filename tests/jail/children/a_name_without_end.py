# expect: Internal | has not the fields of its kind
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.CALL, 1, "x" * 100_000, [])
crafted.wait_for_ever()
