# expect: Internal | can not be read
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.frame(crafted.EXIT, b"\x92\xd4\x63\x00\xc0")
crafted.wait_for_ever()
