# expect: Internal | ended its process without an answer (signal SIGKILL)
# reason: died
# stderr: the last words
import os
import signal

import crafted

crafted.send(crafted.READY, [], {})
os.write(2, b"the last words\n")
os.kill(os.getpid(), signal.SIGKILL)
