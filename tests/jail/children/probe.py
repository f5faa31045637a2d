# value: anything
import os
import resource
from pathlib import Path

import crafted

from runtime.jail import nets


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


_, fields = crafted.receive()
state = nets.walls(forks=False)
nets.limit(fields[0])
names = ("RLIMIT_CPU", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_NPROC")
found = {
    "environment": dict(os.environ),
    "folder": str(Path.cwd()),
    "leads_its_session": os.getsid(0) == os.getpid() == os.getpgid(0),
    "descriptors": [number for number in range(256) if is_open(number)],
    "limits": {name: list(resource.getrlimit(getattr(resource, name))) for name in names},
    "user": os.getuid(),
}
state |= nets.seal(fields[0])  # behind the filter nothing of this can be asked any more
found["nets"] = [net for net, why in state.items() if not why]
crafted.send(crafted.READY, found["nets"], {})
crafted.send(crafted.EXIT, found, None)
