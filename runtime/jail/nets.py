"""The limits that a child puts on itself before it runs anything: none can be taken back."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from typing import Any

try:
    import resource
except ImportError:  # a platform without them: the host says so, and the wall clock still holds
    resource = None  # type: ignore[assignment]


_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def apply(limits: Mapping[str, Any]) -> list[str]:
    """Limit this process by `limits` (see `for_child`) and return the names of the nets that are on."""
    if resource is None:
        return []
    cpu = int(limits["cpu"])
    wanted = {
        "cpu": ("RLIMIT_CPU", cpu, cpu + 1),
        "address_space": ("RLIMIT_AS", int(limits["address_space"]), int(limits["address_space"])),
        "file_size": ("RLIMIT_FSIZE", 0, 0),
        "open_files": ("RLIMIT_NOFILE", int(limits["open_files"]), int(limits["open_files"])),
        "core": ("RLIMIT_CORE", 0, 0),
        "processes": ("RLIMIT_NPROC", 0, 0),  # root is exempt: the process group is killed all the same
    }
    on = ["host"] if _die_with_host() else []
    for net, (name, soft, hard) in wanted.items():
        number = getattr(resource, name, None)
        if number is not None and _set(number, soft, hard):
            on.append(net)
    return on


def _die_with_host() -> bool:
    """Let the system kill this process when its host dies: a program that computes reads no end of input."""
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _set(number: int, soft: int, hard: int) -> bool:
    most = resource.getrlimit(number)[1]  # what is lower already stays
    bound = hard if most == resource.RLIM_INFINITY else min(hard, most)
    try:
        resource.setrlimit(number, (min(soft, bound), bound))
    except (OSError, ValueError):
        return False
    return True
