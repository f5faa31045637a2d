# expect: Invalid | made more than 1000 calls to the host
# reason: budget
import crafted

crafted.send(crafted.READY, [], {})
number = 0
while True:
    number += 1
    crafted.send(crafted.CALL, number, "not.declared", [])
