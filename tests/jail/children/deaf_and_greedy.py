# expect: Invalid | asked for more than
# reason: budget
import time

import crafted

crafted.send(crafted.READY, [], {})
for number in range(900):
    crafted.send(crafted.CALL, number, "env.get", ["large"])
time.sleep(600)
