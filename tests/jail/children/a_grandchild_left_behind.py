# value: "done"
import os
import time

import crafted

crafted.send(crafted.READY, [], {})
child = os.fork()
if child == 0:
    time.sleep(600)
crafted.receive()
crafted.send(crafted.CALL, 1, "env.get", [f"grandchild {child}"])
crafted.receive()
crafted.send(crafted.EXIT, "done", None)
time.sleep(600)
