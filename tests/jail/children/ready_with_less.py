# level: full
# expect: NetsMissing | the jail lacks `landlock` (too old)
# reason: nets
import crafted

from runtime.jail.level import REQUIRED

crafted.receive()
crafted.send(crafted.READY, [net for net in REQUIRED if net != "landlock"], {"landlock": "too old"})
crafted.receive()
crafted.send(crafted.EXIT, "got the task", None)
