# expect: Internal | ended its process without an answer (exit status 0)
# reason: died
import crafted

crafted.send(crafted.READY, [], {})
crafted.raw(b"\x06\x00\x00\x01\x00half")
