"""The commands `system.*`: what the host knows of itself. Each asks `system.*` for the part that it is about.

What this host does not have (a heap limit, a share for the collector, consensus) is refused by name, after
policy was asked. A lock belongs to the process that took it, and is free again when that has ended.
"""

from __future__ import annotations

import gc
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.core.errors import AlreadyExists, Internal, Invalid, NotFound, Unavailable
from runtime.core.values import Value
from runtime.lua.dispatch import Caller, Handler
from runtime.lua.library import Library
from runtime.process.supervisor import Service, Supervisor
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.security.guard import Guard

MAX_LOCKS = 10_000
MAX_NAME = 256

_RESOURCES = {
    "memory.limit": "memory_limit",
    "gc.percent": "gc_percent",
    "runtime.goroutines": "goroutines",
    "runtime.max_procs": "gomaxprocs",
    "runtime.cpu_count": "cpu",
    "process.pid": "pid",
    "process.hostname": "hostname",
    "process.cwd": "cwd",
    "raft.stats": "raft_stats",
}
_MISSING = {
    "memory.limit": "the memory of the host has no limit of its own",
    "gc.percent": "the collector of this host has no percentage",
    "node.addr": "this node is alone: it has no address",
    "raft": "raft not available",
}
_CONTROLS = {
    "memory_limit": ("system.control", "the memory of the host has no limit of its own"),
    "gc_percent": ("system.gc", "the collector of this host has no percentage"),
    "gomaxprocs": ("system.control", "the number of threads is not to be set"),
}
_STATUS = {"waiting": "failed", "done": "exited"}
"""The words for the states of a service, where the documented ones are others."""


@dataclass(frozen=True, slots=True)
class Run:
    """The run: its services, what ends it with a code, and the name of its node among others."""

    supervisor: Callable[[], Supervisor]
    exit: Callable[[int], None]
    node: str = "local"


class SystemCommands:
    """Answers `system.*`."""

    def __init__(self, tasks: Tasks, guard: Guard, library: Library, run: Run) -> None:
        self._tasks = tasks
        self._guard = guard
        self._library = library
        self._run = run
        self._locks: dict[str, Task] = {}
        self._parts: dict[str, Callable[[], Value]] = {
            "modules": self._modules,
            "memory.stats": _memory,
            "memory.allocated": _resident,
            "memory.heap_objects": sys.getallocatedblocks,
            "runtime.goroutines": tasks.count,
            "runtime.max_procs": _cpus,
            "runtime.cpu_count": lambda: os.cpu_count() or 1,
            "process.pid": os.getpid,
            "process.hostname": socket.gethostname,
            "process.cwd": lambda: str(Path.cwd()),
            "hosts.list": self._hosts,
            "supervisor.states": lambda: [_state(each) for each in self._run.supervisor().services()],
            "node.id": lambda: run.node,
            "node.role": lambda: "non-member",
            "cluster.members": lambda: [{"id": run.node, "is_local": True}],
            "cluster.leader": lambda: "",
            "cluster.size": lambda: 1,
        }

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "system.read": self._read,
            "system.control": self._control,
            "system.collect": self._collect,
            "system.exit": self._exit,
            "system.lock": self._lock,
            "system.unlock": self._unlock,
        }

    # -- reading ---------------------------------------------------------------------------------------------

    async def _read(self, caller: Caller, args: list[Any]) -> Value:
        what, name = str(args[0] if args else ""), args[1] if len(args) > 1 else None
        area = what.partition(".")[0]
        self._guard.require(caller.context, "system.read", _RESOURCES.get(what, area))
        if what in self._parts:
            try:
                return self._parts[what]()
            except OSError as error:
                raise Internal(f"`{what}` could not be read: {error.strerror}") from error
        if what == "hosts.processes":
            return self._processes(str(name))
        if what == "supervisor.state":
            service = self._run.supervisor().get(str(name))
            if service is None:
                raise NotFound(f"service `{name}` not found: no such service was started")
            return _state(service)
        missing = _MISSING.get(what) or _MISSING.get(area)
        if missing is None:
            raise Invalid(f"`{what}` is nothing that can be read")
        raise Unavailable(missing, retryable=False)

    def _modules(self) -> Value:
        found = (self._library.get(name) for name in self._library.names())
        return [
            {"name": each.name, "description": each.summary, "class": list(each.classes)}
            for each in found
            if not each.privileged
        ]

    def _hosts(self) -> Value:
        return [
            {"id": host, "workers": 1, "processes": self._tasks.running(host)} for host in self._tasks.hosts()
        ]

    def _processes(self, host: str) -> Value:
        if host not in self._tasks.hosts():
            raise NotFound(f"host `{host}` not found", details={"host": host})
        return [_process(task) for task in self._tasks.processes(host)]

    # -- acting ----------------------------------------------------------------------------------------------

    async def _control(self, caller: Caller, args: list[Any]) -> Value:
        what = str(args[0] if args else "")
        if what not in _CONTROLS:
            raise Invalid(f"`{what}` is nothing that can be set")
        action, why = _CONTROLS[what]
        self._guard.require(caller.context, action, what)
        raise Unavailable(why, retryable=False)

    async def _collect(self, caller: Caller, _args: list[Any]) -> bool:
        self._guard.require(caller.context, "system.gc", "gc")
        gc.collect()
        return True

    async def _exit(self, caller: Caller, args: list[Any]) -> bool:
        self._guard.require(caller.context, "system.exit", "")
        code = args[0] if args else 0
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise Invalid("exit code must be a whole number from 0 to 255")
        self._run.exit(code)
        return True

    async def _lock(self, caller: Caller, args: list[Any]) -> bool:
        name = self._name(caller, args)
        holder = self._locks.get(name)
        if holder is not None and holder.alive:
            raise AlreadyExists(f"lock `{name}` is held", details={"name": name, "pid": holder.id})
        if len(self._locks) >= MAX_LOCKS:
            self._locks = {name: task for name, task in self._locks.items() if task.alive}
            if len(self._locks) >= MAX_LOCKS:
                raise Unavailable(f"{MAX_LOCKS} locks are held: release one", retryable=True)
        self._locks[name] = self._tasks.resolve(caller.task)
        return True

    async def _unlock(self, caller: Caller, args: list[Any]) -> bool:
        name = self._name(caller, args)
        holder = self._locks.get(name)
        if holder is None or holder.id != caller.task:
            return False
        del self._locks[name]
        return True

    def _name(self, caller: Caller, args: list[Any]) -> str:
        name = args[0] if args else None
        if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
            raise Invalid(f"lock name must have 1 to {MAX_NAME} characters")
        self._guard.require(caller.context, "system.lock", name)
        return name


def _process(task: Task) -> dict[str, Value]:
    row: dict[str, Value] = {
        "pid": task.id,
        "host": task.host,
        "source": task.caller.entry,
        "state": "running",
    }
    if task.caller.context.actor is not None:
        row["actor_id"] = task.caller.context.actor.id
    return row


def _state(service: Service) -> dict[str, Value]:
    row: dict[str, Value] = {
        "id": service.entry.id,
        "status": _STATUS.get(service.state, service.state),
        "desired": "stopped" if service.state in ("stopping", "stopped") else "running",
        "retry_count": service.failures,
        "last_update": int(service.at * 1e9),
        "started_at": int(service.started * 1e9),
    }
    if service.why:
        row["details"] = service.why
    return row


def _memory() -> Value:
    resident = _resident()
    return {
        "alloc": resident,
        "sys": _peak(),
        "heap_alloc": resident,
        "heap_in_use": resident,
        "heap_objects": sys.getallocatedblocks(),
        "num_gc": sum(each["collections"] for each in gc.get_stats()),
    }


def _resident() -> int:
    """Return the bytes of memory that the program has now; where the system does not say, the most so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return _peak()
    return pages * os.sysconf("SC_PAGE_SIZE")


def _peak() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _cpus() -> int:
    """Return how many processors the program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
