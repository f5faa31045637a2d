# expect: Internal | it answered before it was ready
# reason: protocol
import crafted

crafted.send(crafted.EXIT, "forged", None)
crafted.wait_for_ever()
