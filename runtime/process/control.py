"""The commands of `process.*` on processes that run: messages, ends, ties, options, names.

Each asks for its own action on the PID that it is about, also where the script named it otherwise; what a
process does to itself needs no allow. The tables are changed before the command is answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.core.errors import Canceled, Invalid, NotFound
from runtime.lua.dispatch import Caller, Handler, Immediate, Values
from runtime.process.grants import Grants
from runtime.process.names import SCOPES
from runtime.process.task import Task
from runtime.process.tasks import Tasks
from runtime.security.guard import Guard

OPTIONS = ("trap_links", "upgradable")


class ProcessCommands:
    """Answers `process.*` but for what starts processes."""

    def __init__(self, tasks: Tasks, guard: Guard) -> None:
        self._tasks = tasks
        self._guard = guard
        self._grants = Grants(tasks, guard)

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "process.send": Immediate(self._send),
            "process.terminate": Immediate(self._terminate),
            "process.cancel": Immediate(self._cancel),
            "process.monitor": Immediate(self._monitor),
            "process.unmonitor": Immediate(self._unmonitor),
            "process.link": Immediate(self._link),
            "process.unlink": Immediate(self._unlink),
            "process.get_options": Immediate(self._get_options),
            "process.set_options": Immediate(self._set_options),
            "process.registry.register": Immediate(self._register),
            "process.registry.lookup": Immediate(self._lookup),
            "process.registry.unregister": Immediate(self._unregister),
        }

    # -- talking and ending ----------------------------------------------------------------------------------

    def _send(self, caller: Caller, args: list[Any]) -> object:
        wanted = args[0] if args and isinstance(args[0], dict) else {}
        dest, topic = wanted.get("dest"), wanted.get("topic")
        if not isinstance(dest, str) or not isinstance(topic, str) or not dest or not topic:
            raise Invalid("send requires at least destination and topic arguments")
        if topic.startswith("@"):
            raise Invalid("cannot send to @ topics")
        pid = self._tasks.names.find(dest) or dest
        # Read before it is decided: what is allowed while policies change is asked for again.
        epoch = self._tasks.epoch
        self._require(caller, "process.send", pid)
        self._tasks.send(pid, topic, args[1:], sender=caller.task)
        grant = self._grants.send(caller, pid, epoch) if pid == dest else None
        return Values(True, grant) if grant else True

    def _terminate(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.terminate", args)
        self._tasks.kill(target, _terminated(caller))
        return True

    def _cancel(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.cancel", args)
        reason = args[1] if len(args) > 1 else None
        self._tasks.cancel(target, caller.task, reason if isinstance(reason, str) else "")
        return True

    # -- ties and options ------------------------------------------------------------------------------------

    def _monitor(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.monitor", args)
        self._tasks.ties.monitor(self._own(caller), target)
        return True

    def _unmonitor(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.unmonitor", args)
        self._tasks.ties.unmonitor(self._own(caller), target)
        return True

    def _link(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.link", args)
        self._tasks.ties.link(self._own(caller), target)
        return True

    def _unlink(self, caller: Caller, args: list[Any]) -> bool:
        target = self._target(caller, "process.unlink", args)
        self._tasks.ties.unlink(self._own(caller), target)
        return True

    def _get_options(self, caller: Caller, _args: list[Any]) -> dict[str, bool]:
        own = self._own(caller)
        return {"trap_links": own.trap_links, "upgradable": own.upgradable}

    def _set_options(self, caller: Caller, args: list[Any]) -> bool:
        options = args[0] if args and isinstance(args[0], dict) else {}
        for name, value in options.items():
            if name not in OPTIONS:
                raise Invalid(f"option `{name}` is not supported: expected {' or '.join(OPTIONS)}")
            if not isinstance(value, bool):
                raise Invalid(f"{name} must be a boolean")
        own = self._own(caller)
        own.trap_links = options.get("trap_links", own.trap_links)
        own.upgradable = options.get("upgradable", own.upgradable)
        return True

    # -- names -----------------------------------------------------------------------------------------------

    def _register(self, caller: Caller, args: list[Any]) -> bool:
        name, pid, scope = _name(args), args[1] if len(args) > 1 else None, _scope(args, 2)
        self._guard.require(
            caller.context, f"process.registry.register{_suffix(scope)}", name, {"pid": caller.task}
        )
        target = self._own(caller) if pid is None else self._tasks.resolve(str(pid))
        if target.id != caller.task:
            self._guard.require(caller.context, "process.registry.foreign", target.id, {"pid": caller.task})
        self._tasks.names.register(name, target.id, scope)
        return True

    def _lookup(self, _caller: Caller, args: list[Any]) -> str:
        return self._tasks.names.lookup(_name(args))

    def _unregister(self, caller: Caller, args: list[Any]) -> bool:
        name, scope = _name(args), _scope(args, 1)
        self._guard.require(
            caller.context, f"process.registry.unregister{_suffix(scope)}", name, {"pid": caller.task}
        )
        return self._tasks.names.unregister(name, scope)

    # -- who -------------------------------------------------------------------------------------------------

    def _target(self, caller: Caller, action: str, args: list[Any]) -> Task:
        dest = args[0] if args else None
        if not isinstance(dest, str) or not dest:
            raise Invalid(f"{action} requires a PID or a registered name")
        pid = self._tasks.names.find(dest) or dest
        self._require(caller, action, pid)  # before it is said whether it is there
        return self._tasks.resolve(pid)

    def _require(self, caller: Caller, action: str, pid: str) -> None:
        if pid != caller.task:
            self._guard.require(caller.context, action, pid, {"pid": caller.task})

    def _own(self, caller: Caller) -> Task:
        task = self._tasks.get(caller.task)
        if task is None:
            raise NotFound(f"process not found: `{caller.task}` has ended")
        return task


def _terminated(caller: Caller) -> Canceled:
    """Return what a process ends with that another one ended: nobody should try that again."""
    return Canceled("process terminated", details={"by": caller.task}, retryable=False)


def _name(args: list[Any]) -> str:
    name = args[0] if args else None
    if not isinstance(name, str) or not name:
        raise Invalid("a name must be a string that is not empty")
    return name


def _scope(args: list[Any], at: int) -> str:
    scope = args[at] if len(args) > at else None
    if scope is None:
        return SCOPES[0]
    if not isinstance(scope, int) or isinstance(scope, bool) or not 0 <= scope < len(SCOPES):
        raise Invalid("scope must be LOCAL, EVENTUAL, CONSISTENT or STRONG of process.registry")
    return SCOPES[scope]


def _suffix(scope: str) -> str:
    return "" if scope == SCOPES[0] else f".{scope}"
