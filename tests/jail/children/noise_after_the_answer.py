# value: "answer"
import crafted

crafted.send(crafted.READY, [], {})
crafted.send(crafted.EXIT, "answer", None)
crafted.send(crafted.CALL, 1, "env.get", ["too late"])
crafted.raw(b"\xff" * 100_000)
