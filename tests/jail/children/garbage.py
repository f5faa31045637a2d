# expect: Internal | broke the protocol of the jail
# reason: protocol
import crafted

crafted.raw(b"GET / HTTP/1.1\r\n\r\n")
crafted.wait_for_ever()
