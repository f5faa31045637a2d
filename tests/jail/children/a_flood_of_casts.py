# expect: Invalid | made more than 1000 calls to the host
# reason: budget
import crafted

crafted.send(crafted.READY, [], {})
while True:
    crafted.send(crafted.CAST, "logger.print", ["x" * 1000])
