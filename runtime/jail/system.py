"""Calls of the C library that Python does not offer, with the system's own error when they fail."""

from __future__ import annotations

import ctypes
import os
from functools import cache

# linux/prctl.h
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

# asm-generic/signal.h; Python's own module of them takes milliseconds to load
SIGABRT = 6
SIGKILL = 9
SIGCHLD = 17

# linux/sched.h
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000

_CAPABILITY_VERSION_3 = 0x20080522


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    # Plain numbers go in, so that a call makes no objects: a fork copies each page that it writes to.
    library.prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    library.syscall.argtypes = (ctypes.c_long,)
    library.syscall.restype = ctypes.c_long
    library.unshare.argtypes = (ctypes.c_int,)
    return library


def syscall(number: int, *args: object) -> int:
    """Make a system call by its number; raise OSError where it fails."""
    words = [ctypes.c_ulong(arg) if isinstance(arg, int) else arg for arg in args]
    return _checked(int(_library().syscall(number, *words)))


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    """Change something of this process; raise OSError where the system refuses."""
    return _checked(int(_library().prctl(option, first, second, 0, 0)))


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent; raise OSError where that is not permitted."""
    _checked(int(_library().unshare(flags)))


def drop_capabilities() -> None:
    """Give up every capability for good (a later no_new_privs keeps them from coming back)."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _checked(int(_library().capset(header, (ctypes.c_uint32 * 6)())))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
