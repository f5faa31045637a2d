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
    return ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *args: object) -> int:
    """Make a system call by its number; raise OSError where it fails."""
    call = _library().syscall
    call.restype = ctypes.c_long
    return _checked(int(call(ctypes.c_long(number), *map(_word, args))))


def prctl(option: int, *args: object) -> int:
    """Change something of this process; raise OSError where the system refuses."""
    words = [*map(_word, args), *[ctypes.c_ulong(0)] * (4 - len(args))]
    return _checked(int(_library().prctl(ctypes.c_int(option), *words)))


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent; raise OSError where that is not permitted."""
    _checked(int(_library().unshare(ctypes.c_int(flags))))


def drop_capabilities() -> None:
    """Give up every capability for good (a later no_new_privs keeps them from coming back)."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _checked(int(_library().capset(header, (ctypes.c_uint32 * 6)())))


def _word(value: object) -> object:
    return ctypes.c_ulong(value) if isinstance(value, int) else value


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
