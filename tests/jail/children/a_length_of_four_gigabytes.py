# expect: Invalid | its result takes 4294967295 bytes
# reason: size
import crafted

crafted.send(crafted.READY, [], {})
crafted.raw(b"\x07\xff\xff\xff\xff")
crafted.wait_for_ever()
