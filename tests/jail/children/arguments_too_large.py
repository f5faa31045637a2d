# expect: Invalid | the arguments of one of its calls takes 2000000 bytes
# reason: size
import crafted

crafted.send(crafted.READY, [], {})
crafted.frame(crafted.CALL, b"\xc0" * 2_000_000)
crafted.wait_for_ever()
