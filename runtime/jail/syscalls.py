"""Numbers of system calls: one table an architecture, holding what the nets speak of and nothing more.

A name that a table lacks does not exist on that architecture. Sources: the kernel's
`arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`, `linux/audit.h`.
"""

from __future__ import annotations

import os
from collections import namedtuple

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Mapping

Architecture = namedtuple("Architecture", "audit foreign numbers")
"""`audit` names it to a filter; numbers from `foreign` on (0: none) are those of another convention;
`numbers` are those of the calls, by name."""

LANDLOCK = {"landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446}

X86_64 = Architecture(
    0xC000003E,
    0x40000000,  # the x32 calls
    {
        "read": 0,
        "write": 1,
        "close": 3,
        "poll": 7,
        "mmap": 9,
        "mprotect": 10,
        "munmap": 11,
        "brk": 12,
        "rt_sigprocmask": 14,
        "rt_sigreturn": 15,
        "select": 23,
        "mremap": 25,
        "madvise": 28,
        "dup2": 33,
        "nanosleep": 35,
        "getpid": 39,
        "sendmsg": 46,
        "recvmsg": 47,
        "clone": 56,
        "fork": 57,
        "exit": 60,
        "wait4": 61,
        "gettimeofday": 96,
        "getrlimit": 97,
        "getppid": 110,
        "setsid": 112,
        "prctl": 157,
        "setrlimit": 160,
        "gettid": 186,
        "time": 201,
        "futex": 202,
        "restart_syscall": 219,
        "clock_gettime": 228,
        "clock_getres": 229,
        "clock_nanosleep": 230,
        "exit_group": 231,
        "tgkill": 234,
        "pselect6": 270,
        "ppoll": 271,
        "set_robust_list": 273,
        "dup3": 292,
        "prlimit64": 302,
        "seccomp": 317,
        "getrandom": 318,
        "rseq": 334,
        "clone3": 435,
        "close_range": 436,
        **LANDLOCK,
    },
)

AARCH64 = Architecture(
    0xC00000B7,
    0,
    {
        "dup3": 24,
        "close": 57,
        "read": 63,
        "write": 64,
        "pselect6": 72,
        "ppoll": 73,
        "exit": 93,
        "exit_group": 94,
        "futex": 98,
        "set_robust_list": 99,
        "nanosleep": 101,
        "clock_gettime": 113,
        "clock_getres": 114,
        "clock_nanosleep": 115,
        "restart_syscall": 128,
        "tgkill": 131,
        "rt_sigprocmask": 135,
        "rt_sigreturn": 139,
        "setsid": 157,
        "getrlimit": 163,
        "setrlimit": 164,
        "prctl": 167,
        "gettimeofday": 169,
        "getpid": 172,
        "getppid": 173,
        "gettid": 178,
        "sendmsg": 211,
        "recvmsg": 212,
        "brk": 214,
        "munmap": 215,
        "mremap": 216,
        "clone": 220,
        "mmap": 222,
        "mprotect": 226,
        "madvise": 233,
        "wait4": 260,
        "prlimit64": 261,
        "seccomp": 277,
        "getrandom": 278,
        "rseq": 293,
        "clone3": 435,
        "close_range": 436,
        **LANDLOCK,
    },
)

ARCHITECTURES: Mapping[str, Architecture] = {"x86_64": X86_64, "aarch64": AARCH64}


def architecture(machine: str | None = None) -> Architecture | None:
    """Return the table of `machine` (this one unless given), None where there is none."""
    return ARCHITECTURES.get(machine or os.uname().machine)
