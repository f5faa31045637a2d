# expect: Internal | has not the fields of its kind
# reason: protocol
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.CALL, 1, "env.get", ["A"], {"task": "{app:processes|0x00001}", "actor": "app:owner"})
crafted.wait_for_ever()
