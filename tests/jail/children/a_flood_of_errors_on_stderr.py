# expect: Timeout | took longer than
# reason: wall_clock
# stderr: noise
import os

import crafted

crafted.send(crafted.READY, [], {})
while True:
    os.write(2, b"noise\n" * 1000)
