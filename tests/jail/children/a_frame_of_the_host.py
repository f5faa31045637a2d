# expect: Internal | a frame of kind 1 is not expected here
# reason: protocol
import crafted

crafted.send(crafted.READY, [])
crafted.send(crafted.RUN, {}, [], {}, {}, {})
crafted.wait_for_ever()
