# expect: Timeout | took longer than
# reason: wall_clock
import contextlib
import signal
import time

import crafted

for number in range(1, 65):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)
crafted.send(crafted.READY, [], {})
while True:
    time.sleep(600)
