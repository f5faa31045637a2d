# expect: Internal | ended its process without an answer (exit status 3)
# reason: died
# stderr: the last words
import os

import crafted

crafted.send(crafted.READY, [], {})
os.write(2, b"noise\n" * 100_000 + b"the last words\n")
os._exit(3)
