"""The commands that start processes: spawn in its variants, exec, and what a spawner may carry.

A process works for whom its starter works, narrowed: another actor or a wider scope needs `process.security`,
values of one's own `process.context`. Ties, name and first messages are there before the PID is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.core.errors import Canceled, Invalid, NotFound, Unavailable
from runtime.core.values import Value
from runtime.lua.dispatch import Caller, Handler, Immediate, Values
from runtime.process.authority import read_actor, read_scope, read_values
from runtime.process.grants import Grants
from runtime.process.programs import Programs
from runtime.process.task import Start, Task
from runtime.process.tasks import Tasks
from runtime.registry import kinds
from runtime.registry.entry import Entry
from runtime.registry.snapshot import Snapshot
from runtime.security.actor import Actor, Context, Scope
from runtime.security.guard import Guard
from runtime.security.narrowing import narrow

KINDS = ("process.lua", "workflow.lua")
HOSTS = ("process.host", "terminal.host")


@dataclass(frozen=True, slots=True)
class _Wish:
    """A process as the script asks for it; what it leaves alone is None."""

    id: str
    host: str
    args: list[Any]
    monitored: bool = False
    linked: bool = False
    name: str | None = None
    values: Mapping[str, Value] | None = None
    actor: Actor | None = None
    scope: Scope | None = None
    messages: tuple[tuple[str, list[Any]], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the process is started as its starter is, with nothing of its own."""
        carried = (self.name, self.values, self.actor, self.scope)
        return not self.messages and all(each is None for each in carried)


class SpawnCommands:
    """Answers `process.spawn`, `process.exec`, `process.builder` and `process.upgrade`."""

    def __init__(
        self, tasks: Tasks, guard: Guard, programs: Programs, snapshot: Callable[[], Snapshot]
    ) -> None:
        self._tasks = tasks
        self._guard = guard
        self._programs = programs
        self._snapshot = snapshot
        self._grants = Grants(tasks, guard)

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {
            "process.spawn": Immediate(self._spawn),
            "process.exec": self._exec,
            "process.builder": Immediate(self._builder),
            "process.upgrade": Immediate(self._upgrade),
        }

    def _spawn(self, caller: Caller, args: list[Any]) -> object:
        epoch = self._grants.epoch  # read before anything is decided
        wish = _read(args)
        actions = {"process.spawn": wish.id}
        if wish.monitored:
            actions["process.spawn.monitored"] = wish.id
        if wish.linked:
            actions["process.spawn.linked"] = wish.id
        actions["process.host"] = wish.host
        for action, resource in actions.items():
            self._require(caller, action, resource)
        start = self._start(caller, wish)
        task = self._signaled(caller, wish) or self._started(caller, wish, start)
        own = self._tasks.get(caller.task)
        if own is not None and wish.monitored:
            self._tasks.ties.monitor(own, task)
        if own is not None and wish.linked:
            self._tasks.ties.link(own, task)
        for topic, payloads in wish.messages:
            self._tasks.send(task.id, topic, payloads, sender=caller.task)
        program = self._programs.get(self._process(caller, wish.id)) if wish.is_plain else None
        grant = program and self._grants.spawn(caller, program, wish.host, actions, epoch)
        return Values(task.id, grant) if grant else task.id

    async def _exec(self, caller: Caller, args: list[Any]) -> Any:
        wish = _read(args)
        self._require(caller, "process.exec", wish.id)
        self._require(caller, "process.host", wish.host)
        task = self._started(caller, wish, self._start(caller, wish))
        return await self._tasks.wait(task, or_kill=Canceled(f"the run of `{wish.id}` was canceled"))

    def _builder(self, caller: Caller, args: list[Any]) -> bool:
        """Say at once what a spawner may not carry, and not only when it starts something."""
        self._start(caller, _read_carried(args[0] if args and isinstance(args[0], dict) else {}))
        return True

    def _upgrade(self, caller: Caller, args: list[Any]) -> bool:
        wanted = args[0] if args else None
        entry_id = caller.entry if wanted is None else str(wanted)
        if entry_id != caller.entry:
            self._require(caller, "process.spawn", entry_id)
        entry = self._process(caller, entry_id)
        self._tasks.upgrade(caller.task, self._programs.get(entry), args[1:])
        return True

    # -- steps -----------------------------------------------------------------------------------------------

    def _require(self, caller: Caller, action: str, resource: str) -> None:
        self._guard.require(caller.context, action, resource, {"pid": caller.task})

    def _start(self, caller: Caller, wish: _Wish) -> Start:
        values = caller.values
        if wish.values is not None:
            self._require(caller, "process.context", "context")
            values = {**values, **wish.values}
        context = narrow(self._guard, caller.context, Context(wish.actor, wish.scope), "process.security")
        return Start(context, values, caller.session, caller.cause)

    def _signaled(self, caller: Caller, wish: _Wish) -> Task | None:
        """A spawner with a name that is taken starts nothing: its messages go to who has the name."""
        pid = self._tasks.names.find(wish.name) if wish.name else None
        if pid is None:
            return None
        for _ in wish.messages:
            self._require(caller, "process.send", pid)
        return self._tasks.resolve(pid)

    def _started(self, caller: Caller, wish: _Wish, start: Start) -> Task:
        entry = self._process(caller, wish.id)
        host = self._snapshot().get(wish.host)
        if host is None or host.kind not in HOSTS:
            what = f"it is a `{host.kind}`" if host else "there is no such entry"
            what += self._meant(caller, "process.host", wish.host, HOSTS)
            raise NotFound(f"host `{wish.host}` not found: {what}", details={"host": wish.host})
        if wish.name:
            self._require(caller, "process.registry.register", wish.name)
        task = self._tasks.spawn(self._programs.get(entry), wish.args, host=wish.host, start=start)
        if wish.name:
            self._tasks.names.register(wish.name, task.id)
        return task

    def _meant(self, caller: Caller, action: str, wanted: str, kinds: Iterable[str]) -> str:
        names = [entry.id for kind in kinds for entry in self._snapshot().kind(kind)]
        return self._guard.meant(caller.context, action, wanted, names)

    def _process(self, caller: Caller, entry_id: str) -> Entry:
        entry = self._snapshot().get(entry_id)
        details: dict[str, Value] = {"id": entry_id}
        if entry is None:
            what = "there is no such entry" + self._meant(caller, "process.spawn", entry_id, KINDS)
            raise NotFound(f"process `{entry_id}` not found: {what}", details=details)
        if entry.kind not in KINDS:
            message = f"`{entry_id}` is a `{entry.kind}`"
            if kinds.is_inert(entry.kind):
                raise Unavailable(f"{message}: nothing runs that kind", details=details, retryable=False)
            raise Invalid(f"{message}, not a `process.lua`", details=details)
        return entry


def _read(args: list[Any]) -> _Wish:
    wanted = args[0] if args and isinstance(args[0], dict) else {}
    entry_id, host = wanted.get("id"), wanted.get("host")
    if not isinstance(entry_id, str) or not entry_id or not isinstance(host, str) or not host:
        raise Invalid("a process needs the id of its entry and the id of its host, both strings")
    return _read_carried(wanted, entry_id, host, args[1:])


def _read_carried(
    wanted: dict[str, Any], entry_id: str = "", host: str = "", args: list[Any] | None = None
) -> _Wish:
    name = wanted.get("name")
    messages = wanted.get("messages") or []
    return _Wish(
        id=entry_id,
        host=host,
        args=args or [],
        monitored=wanted.get("monitored") is True,
        linked=wanted.get("linked") is True,
        name=name if isinstance(name, str) and name else None,
        values=read_values(wanted.get("context")),
        actor=read_actor(wanted.get("actor")),
        scope=read_scope(wanted.get("scope")),
        messages=tuple(_read_message(each) for each in messages if isinstance(each, dict)),
    )


def _read_message(value: dict[str, Any]) -> tuple[str, list[Any]]:
    topic, payloads = value.get("topic"), value.get("payloads")
    if not isinstance(topic, str) or not topic or topic.startswith("@"):
        raise Invalid("the topic of a message must be a string that does not begin with `@`")
    return topic, payloads if isinstance(payloads, list) else []
