"""Filters of system calls: what is not on the list kills the process, and so does a foreign architecture.

The filter of the zygote holds what is needed to fork children; what is left to one that runs hostile code is
a part of it, since filters only add up. Sources: linux/seccomp.h, linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections import namedtuple

from runtime.jail.syscalls import Architecture
from runtime.jail.system import PR_SET_PDEATHSIG, PR_SET_SECCOMP, SIGABRT, SIGCHLD, prctl

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Sequence

KILL = 0x80000000
ALLOW = 0x7FFF0000
REFUSE = 0x00050000  # and the number of an error

_MODE_FILTER = 2
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_VALUE = 4  # offset of the value in a step
_SOME_PID = 0x7FFFFFFF  # more than a process can have

_PROT_EXEC = 4
_FORK_FLAGS = 0x01200000  # where the C library wants the child's thread id to be kept


Argument = namedtuple("Argument", "at value mask", defaults=(0xFFFFFFFF,))
"""The lower word of argument `at`, counted from 0, masked, must be `value`."""

Rule = namedtuple("Rule", "name where verdict", defaults=((), ALLOW))
"""`name` has the `verdict` where all `where` hold; there may be several rules for one call."""


_NOT_EXECUTABLE = (Argument(2, 0, _PROT_EXEC),)

_CHILD: tuple[Rule, ...] = (
    *map(Rule, ("read", "write", "close", "poll", "ppoll", "select", "pselect6")),
    Rule("mmap", _NOT_EXECUTABLE),
    Rule("mprotect", _NOT_EXECUTABLE),
    *map(Rule, ("munmap", "mremap", "brk", "madvise", "futex")),
    *map(Rule, ("clock_gettime", "clock_getres", "gettimeofday", "time", "getrandom")),
    *map(Rule, ("nanosleep", "clock_nanosleep", "restart_syscall")),
    *map(Rule, ("rt_sigreturn", "rt_sigprocmask", "getpid", "gettid", "exit", "exit_group")),
)

_ZYGOTE: tuple[Rule, ...] = (
    *_CHILD,
    Rule("clone", (Argument(0, SIGCHLD, 0xFFFFFFFF & ~_FORK_FLAGS),)),
    Rule("clone3", verdict=REFUSE | errno.ENOSYS),  # its flags are in memory; libraries fall back to clone
    *map(Rule, ("fork", "wait4", "recvmsg", "sendmsg", "getppid", "setsid")),
    *map(Rule, ("dup2", "dup3", "close_range", "set_robust_list", "rseq")),
    *map(Rule, ("getrlimit", "setrlimit", "prlimit64")),
    Rule("prctl", (Argument(0, PR_SET_PDEATHSIG),)),
    Rule("prctl", (Argument(0, PR_SET_SECCOMP),)),
    Rule("tgkill", (Argument(2, SIGABRT),)),
)


def for_zygote(machine: Architecture) -> bytes:
    """Return the program for a process that forks children."""
    return assemble(_ZYGOTE, machine)


def for_child(machine: Architecture, pid: int) -> bytes:
    """Return the program for a process that runs hostile code; `pid` is its own, which it may abort."""
    abort = Rule("tgkill", (Argument(0, pid), Argument(2, SIGABRT)))
    return assemble((*_CHILD, abort), machine)


class Prepared:
    """The program of `for_child` in memory, made before the process that installs it is there."""

    def __init__(self, machine: Architecture) -> None:
        program = for_child(machine, _SOME_PID)
        self._code = ctypes.create_string_buffer(program, len(program))
        self._head = _head(self._code)
        self._own = program.index(_step(_EQUAL, _SOME_PID, no=4)) + _VALUE

    def install(self, pid: int) -> None:
        """Put it on this process, whose number is `pid`; raise OSError where the kernel refuses."""
        struct.pack_into("=I", self._code, self._own, pid)
        prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(self._head))


def assemble(rules: Sequence[Rule], machine: Architecture, otherwise: int = KILL) -> bytes:
    """Return the program of `rules`, then `otherwise`; names that `machine` lacks are left out."""
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, machine.audit, yes=1),
        _step(_RETURN, KILL),
        _step(_LOAD, _NUMBER),
    ]
    if machine.foreign:
        code += [_step(_AT_LEAST, machine.foreign, no=1), _step(_RETURN, KILL)]
    for rule in rules:
        number = machine.numbers.get(rule.name)
        if number is not None:
            code += _decide(number, rule)
    return b"".join([*code, _step(_RETURN, otherwise)])


def install(program: bytes) -> None:
    """Put the filter on this process and all that it forks; raise OSError where the kernel refuses."""
    code = ctypes.create_string_buffer(program, len(program))
    head = _head(code)
    prctl(PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(head))


def _head(code: ctypes.Array[ctypes.c_char]) -> ctypes.Array[ctypes.c_char]:
    head = struct.pack("@HP", len(code) // 8, ctypes.addressof(code))
    return ctypes.create_string_buffer(head, len(head))


def _decide(number: int, rule: Rule) -> list[bytes]:
    """Return the steps of one rule; what does not match goes on with the number loaded again."""
    if not rule.where:
        return [_step(_EQUAL, number, no=1), _step(_RETURN, rule.verdict)]
    body: list[bytes] = []
    for left in range(
        len(rule.where) - 1, -1, -1
    ):  # how many more there are: a mismatch leaps over their steps
        argument = rule.where[len(rule.where) - 1 - left]
        body.append(_step(_LOAD, _ARGUMENTS + 8 * argument.at))
        body.append(_step(_AND, argument.mask))
        body.append(_step(_EQUAL, argument.value, no=3 * left + 1))
    body += [_step(_RETURN, rule.verdict), _step(_LOAD, _NUMBER)]
    return [_step(_EQUAL, number, no=len(body)), *body]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
