# expect: Internal | ended its process without an answer (signal SIGSEGV)
# reason: died
import os
import signal

import crafted

crafted.send(crafted.READY, [], {})
os.kill(os.getpid(), signal.SIGSEGV)
