# expect: Internal | can not be read
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.frame(crafted.EXIT, b"\x92" + b"\x91" * 100_000 + b"\xc0\xc0")
crafted.wait_for_ever()
