# expect: Timeout | took longer than
# reason: wall_clock
# stderr: grandchild
import os
import time

import crafted

crafted.send(crafted.READY, [], {})
if os.fork() == 0:
    os.write(2, f"grandchild {os.getpid()}\n".encode())
time.sleep(600)
