"""The nets that a child throws over itself before it reads its task: none can be taken back.

Each net is tried for itself and reported for itself, on or off with the reason; who started the child decides
whether what is on will do. `walls` comes once, in the zygote or in a child of its own; `seal` in every child.
Order matters: what needs a right comes before that right is given up, and the filter of system calls last.
"""

from __future__ import annotations

import os
import sys
from functools import cache

TYPE_CHECKING = False  # without importing `typing` for it
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

try:
    import resource
except ImportError:  # a platform without them: the host says so, and the wall clock still holds
    resource = None  # type: ignore[assignment]

if sys.platform == "linux":  # imported now: behind the walls nothing can be
    from runtime.jail import landlock, seccomp, system
    from runtime.jail.syscalls import architecture

    _MACHINE = architecture()
    _NO_TABLE = "there is no table of system calls for this architecture"

State = dict[str, str]
"""Net -> why it is off; the empty text where it is on."""

NOBODY = 65534


def walls(*, forks: bool) -> State:
    """Take from this process all but its descriptors and memory; with `forks` it may still make children."""
    if sys.platform != "linux":
        names = ("session", "network", "user", "host", "no_dump", "no_new_privs", "landlock", "seccomp")
        return dict.fromkeys(names, "this system has none")
    state: State = {}
    _try(state, "session", _leads_its_session)
    _try(state, "network", _leave_network)
    _try(state, "user", _become_nobody)
    _try(state, "host", lambda: system.prctl(system.PR_SET_PDEATHSIG, system.SIGKILL))
    _try(state, "no_dump", lambda: system.prctl(system.PR_SET_DUMPABLE, 0))
    _try(state, "no_new_privs", lambda: system.prctl(system.PR_SET_NO_NEW_PRIVS, 1))
    _try(state, "landlock", lambda: _restrict(state))
    if forks:
        _try(state, "seccomp", _filter_of_zygote)
    return state


def die_with_parent(parent: int) -> None:
    """Let the end of process `parent` be that of this one; it ends at once where that is gone already."""
    system.prctl(system.PR_SET_PDEATHSIG, system.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def seal(limits: Mapping[str, Any]) -> State:
    """Limit this process by `limits` (the numbers of `JailLimits`) and filter its system calls."""
    state = limit(limits)
    if sys.platform == "linux":
        _try(state, "seccomp", _filter_of_child)
    return state


def prepare() -> None:
    """Make in a zygote what `seal` puts on its children."""
    if sys.platform == "linux" and _MACHINE is not None:
        _prepared()


def limit(limits: Mapping[str, Any]) -> State:
    """Put the limits of resources on this process; what is lower already stays."""
    state: State = {}
    cpu, space, files = int(limits["cpu"]), int(limits["address_space"]), int(limits["open_files"])
    for net, name, soft, hard in (
        ("cpu", "RLIMIT_CPU", cpu, cpu + 1),
        ("address_space", "RLIMIT_AS", space, space),
        ("file_size", "RLIMIT_FSIZE", 0, 0),
        ("open_files", "RLIMIT_NOFILE", files, files),
        ("core", "RLIMIT_CORE", 0, 0),
        ("processes", "RLIMIT_NPROC", 0, 0),  # root is exempt: the filter holds all the same
    ):
        try:
            _set(getattr(resource, name), soft, hard)
            state[net] = ""
        except AttributeError:
            state[net] = "this system has no such limit"
        except (OSError, ValueError) as error:
            state[net] = str(error)
    return state


def _try(state: State, net: str, act: Callable[[], object]) -> None:
    try:
        act()
        state[net] = ""
    except (OSError, ValueError, AttributeError, ImportError) as error:
        state[net] = str(error) or type(error).__name__


def _leads_its_session() -> None:
    if not os.getsid(0) == os.getpgid(0) == os.getpid():
        raise OSError("the process leads no session of its own")


def _leave_network() -> None:
    spaces = system.CLONE_NEWNET | system.CLONE_NEWIPC
    try:
        system.unshare(spaces)
    except PermissionError:
        system.unshare(spaces | system.CLONE_NEWUSER)


def _become_nobody() -> None:
    try:
        if os.getuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    finally:
        system.drop_capabilities()  # also those that a user namespace gave


def _restrict(state: State) -> None:
    for part in ("tcp", "scopes"):
        state[f"landlock_{part}"] = "the kernel's Landlock is too old for it"
    for part in landlock.restrict():
        if part != "files":
            state[f"landlock_{part}"] = ""


def _filter_of_zygote() -> None:
    if _MACHINE is None:
        raise OSError(_NO_TABLE)
    seccomp.install(seccomp.for_zygote(_MACHINE))


def _filter_of_child() -> None:
    if _MACHINE is None:
        raise OSError(_NO_TABLE)
    _prepared().install(os.getpid())


@cache
def _prepared() -> seccomp.Prepared:
    assert _MACHINE is not None
    return seccomp.Prepared(_MACHINE)


def _set(number: int, soft: int, hard: int) -> None:
    most = resource.getrlimit(number)[1]
    bound = hard if most == resource.RLIM_INFINITY else min(hard, most)
    resource.setrlimit(number, (min(soft, bound), bound))
