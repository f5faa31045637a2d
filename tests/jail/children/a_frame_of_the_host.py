# expect: Internal | a frame of kind 2 is not expected here
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.RUN, {}, [], {}, {}, {})
crafted.wait_for_ever()
