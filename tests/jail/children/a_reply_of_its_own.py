# expect: Internal | a frame of kind 3 is not expected here
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.REPLY, 1, ["forged"], None)
crafted.wait_for_ever()
