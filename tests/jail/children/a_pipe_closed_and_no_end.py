# expect: Internal | ended its process without an answer
# reason: died
import os

import crafted

crafted.send(crafted.READY, [], {})
os.close(1)
crafted.wait_for_ever()
