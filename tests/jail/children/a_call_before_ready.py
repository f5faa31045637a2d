# expect: Internal | it spoke before it was ready
# reason: protocol
import crafted

crafted.send(crafted.CALL, 1, "env.get", ["A"])
crafted.wait_for_ever()
