# expect: Internal | it was ready twice
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.READY, [], {})
crafted.wait_for_ever()
