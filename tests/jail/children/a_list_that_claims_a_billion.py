# expect: Internal | can not be read
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.frame(crafted.EXIT, b"\xdd\x3b\x9a\xca\x00")
crafted.wait_for_ever()
