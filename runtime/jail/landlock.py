"""Landlock with no rule at all: this process can open no path, use no TCP and reach no process outside.

What is open stays open, so everything that is needed is read before. Where the kernel is too old for a part
that part is not handled; paths are refused from the first version on. Source: linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os

from runtime.jail.syscalls import LANDLOCK
from runtime.jail.system import syscall

_PROBE_VERSION = 1
# How many bits of file access each version of the interface knows: 13 at first, then refer, truncate, ioctl.
_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP = 0b11  # bind and connect, since version 4
_SCOPES = 0b11  # abstract unix sockets and signals, since version 6


def version() -> int:
    """Return the version of the kernel's interface; raise OSError where it has none."""
    return syscall(LANDLOCK["landlock_create_ruleset"], None, 0, _PROBE_VERSION)


def restrict() -> list[str]:
    """Restrict this process and all that it forks; return the parts that hold: files, tcp, scopes.

    Raises OSError where the kernel has no Landlock; needs no_new_privs.
    """
    abi = version()
    files = (1 << _FILE_BITS[min(abi, max(_FILE_BITS))]) - 1
    rules = (ctypes.c_uint64 * 3)(files, _TCP if abi >= 4 else 0, _SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    handle = syscall(LANDLOCK["landlock_create_ruleset"], rules, size, 0)
    try:
        syscall(LANDLOCK["landlock_restrict_self"], handle, 0)
    finally:
        os.close(handle)
    return ["files", *(["tcp"] if abi >= 4 else []), *(["scopes"] if abi >= 6 else [])]
