"""The commands `funcs.call` and `funcs.cancel`: one way to every function, whoever calls, wherever it runs.

A call is checked, then recorded if the function is a tool, then linked and run. A recorded call is closed by
exactly one event, also when it fails, is cancelled or its caller is killed; writing an event waits for
nothing, so nothing can come between. Canceled is the host's word: a function that fails with it on its own
has failed, and its caller was not interrupted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

from runtime.core.errors import Canceled, Error, Internal, Invalid, NotFound, Unavailable
from runtime.core.ids import qualify
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.funcs.pools import Pools
from runtime.funcs.record import kept
from runtime.funcs.retry import ONCE, read_retry
from runtime.journal import types
from runtime.journal.events import Draft, Event, Journal
from runtime.lua.dispatch import LATER, Caller, Handler, Pending, Prompt, Values
from runtime.process.authority import read_actor, read_scope, read_values
from runtime.process.confine import TRUSTED
from runtime.process.grants import Grants
from runtime.process.programs import Programs
from runtime.process.task import Start, Task, own_failure
from runtime.process.tasks import Tasks
from runtime.registry import kinds
from runtime.registry.entry import Entry
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.guard import Guard
from runtime.security.narrowing import narrow

HOST_STREAM = "host"
"""The stream of calls that belong to no session."""

KIND = "function.lua"
PROCESS = "process.lua"
"""A process that names its host in `meta.default_host` can be called as a function is."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Request:
    """A call as the script asks for it; what it leaves alone is None."""

    id: str
    args: list[Any]
    key: str | None = None
    context: Mapping[str, Value] | None = None
    actor: Actor | None = None
    scope: Scope | None = None
    options: Mapping[str, Value] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the function is called as its caller is, and nothing else is asked for."""
        asked = (self.key, self.context, self.actor, self.scope, self.options)
        return all(each is None for each in asked)


class FunctionCalls:
    """Answers `funcs.*`."""

    def __init__(
        self, tasks: Tasks, programs: Programs, registry: Registry, guard: Guard, journal: Journal
    ) -> None:
        self._tasks = tasks
        self._programs = programs
        self._registry = registry
        self._guard = guard
        self._journal = journal
        self._grants = Grants(tasks, guard)
        self._redactor: Redactor = getattr(journal, "redactor", None) or Redactor()
        self.pools = Pools(tasks)
        registry.subscribe(self.pools.changed)
        self._keyed: dict[tuple[str, str], asyncio.Task[Any]] = {}

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by command name."""
        return {"funcs.call": Prompt(self._begin, self._call), "funcs.cancel": self.cancel}

    def _begin(self, caller: Caller, args: list[Any]) -> object:
        """Begin a call that needs nothing but to be run: no record, retry, turn, key or jail."""
        epoch = self._grants.epoch  # read before anything is decided
        request = _read_request(args)
        entry = self._registry.current.get(request.id)
        if request.key is not None or request.options is not None or entry is None or not _is_simple(entry):
            return LATER
        self._guard.require(caller.context, "funcs.call", request.id)
        start = self._start(caller, request)
        program = self._programs.get(self._function(caller, request.id))
        if program.origin not in TRUSTED:
            return LATER
        task = self._tasks.begin_call(caller, program, request.args, start=start, host=_home(entry))
        canceled = Canceled(f"the call of `{entry.id}` was canceled")
        pending = Pending(lambda: self._tasks.kill(task, canceled))

        def settle(ended: Task) -> None:
            error = ended.error
            if isinstance(error, Canceled):
                pending.settle((), own_failure(entry.id, error))
            elif error is not None:
                pending.settle((), error)
            else:
                grant = self._grant(caller, request, epoch) if request.is_plain else None
                pending.settle((ended.outcome(), grant) if grant else (ended.outcome(),), None)

        task.when_ended(settle)
        return pending

    async def _call(self, caller: Caller, args: list[Any]) -> Any:
        epoch = self._grants.epoch  # read before anything is decided
        request = _read_request(args)
        self._guard.require(caller.context, "funcs.call", request.id)
        start = self._start(caller, request)
        work = self.invoke(caller, request.id, request.args, start, request.options)
        value = await self.cancellable(caller, request.key, work)
        grant = self._grant(caller, request, epoch) if request.is_plain else None
        return Values(value, grant) if grant else value

    def _grant(self, caller: Caller, request: _Request, epoch: int) -> Any:
        """Return the yes to calling the function again inside the caller's Lua state, where that is alike.

        A call that is recorded, retried, run elsewhere or by an environment of a pool is made by the host.
        """
        entry = self._registry.current.get(request.id)
        if entry is None or entry.kind != KIND or not _is_simple(entry) or epoch != self._grants.epoch:
            return None
        return self._grants.run(caller, self._programs.get(entry), epoch)

    async def invoke(
        self, caller: Caller, entry_id: str, args: list[Any], start: Start, options: Any = None
    ) -> Any:
        """Return what the function `entry_id` returns, for a caller that has been allowed to call it.

        Raises NotFound, Unavailable, and what the function fails with after its last attempt.
        """
        entry = self._function(caller, entry_id)
        retry = read_retry(options)
        if retry is ONCE:
            retry = read_retry(entry.meta.get("options"))
        return await retry.run(lambda: self._perform(caller, entry, args, start))

    async def cancel(self, caller: Caller, args: list[Any]) -> bool:
        """Cancel the work that `caller` named by a key; return whether it was under way."""
        running = self._keyed.pop((caller.task, str(args[0] if args else "")), None)
        return running is not None and running.cancel()

    async def cancellable(self, caller: Caller, key: Any, work: Coroutine[Any, Any, Any]) -> Any:
        """Return what `work` gives; `caller` may cancel it by `key`, unless that is no text."""
        if not isinstance(key, str):
            return await work
        slot = (caller.task, key)
        task = self._keyed[slot] = asyncio.ensure_future(work)
        try:
            return await task
        except asyncio.CancelledError:
            if slot not in self._keyed:  # `funcs.cancel` took it
                raise Canceled("canceled", retryable=False) from None
            raise
        finally:
            self._keyed.pop(slot, None)

    def _start(self, caller: Caller, request: _Request) -> Start:
        values = caller.values
        if request.context is not None:
            self._guard.require(caller.context, "funcs.context", "context")
            values = {**values, **request.context}
        wished = Context(request.actor, request.scope)
        context = narrow(self._guard, caller.context, wished, "funcs.security")
        return Start(context, values, caller.session, caller.cause)

    def _function(self, caller: Caller, entry_id: str) -> Entry:
        entry = self._registry.current.get(entry_id)
        if entry is not None and kinds.is_inert(entry.kind):
            raise Unavailable(
                f"`{entry_id}` is a `{entry.kind}`: nothing runs that kind",
                details={"target": entry_id},
                retryable=False,
            )
        if entry is None or (entry.kind != KIND and not _home(entry)):
            what = f"it is a `{entry.kind}`, not a `{KIND}`" if entry else "there is no such entry"
            known = [] if entry else [each.id for each in self._registry.current.kind(KIND)]
            what += self._guard.meant(caller.context, "funcs.call", entry_id, known)
            raise NotFound(
                f"no handler registered for target `{entry_id}`: {what}", details={"target": entry_id}
            )
        return entry

    async def _perform(self, caller: Caller, entry: Entry, args: list[Any], start: Start) -> Any:
        if entry.meta.get("type") != "tool":
            return await self._run(caller, entry, args, start)
        requested = self._open(caller, entry, args)
        cause = Start(start.context, start.values, start.session, requested.seq)
        try:
            value = await self._run(caller, entry, args, cause)
        except Error as error:
            self._fail(requested, entry, error)
            raise
        except asyncio.CancelledError:
            self._fail(requested, entry, Canceled("the call was canceled"))
            raise
        except BaseException:
            self._fail(requested, entry, Internal("the call failed inside the host"))
            raise
        self._close(
            requested, types.TOOL_RESPONDED, {"id": entry.id, **kept("result", value, self._redactor)}
        )
        return value

    async def _run(self, caller: Caller, entry: Entry, args: list[Any], start: Start) -> Any:
        try:
            program, home = self._programs.get(entry), _home(entry)
            if "pool" not in entry.fields:
                return await self._tasks.call(caller, program, args, start=start, host=home)
            async with self.pools.slot(entry, program, caller.task, caller.host or "") as slot:
                if slot is not None:
                    start, home = replace(start, kept_as=slot.name), slot.host
                return await self._tasks.call(caller, program, args, start=start, host=home)
        except Canceled as error:  # the host ends a call by cancelling this very task
            raise own_failure(entry.id, error) from error

    def _open(self, caller: Caller, entry: Entry, args: list[Any]) -> Event:
        payload: dict[str, Value] = {
            "id": entry.id,
            "origin": str(entry.origin),
            "digest": entry.digest,
            "caller": caller.entry,
            **kept("arguments", args, self._redactor),
        }
        actor = caller.context.actor.id if caller.context.actor else "host"
        draft = Draft(types.TOOL_REQUESTED, payload, actor, caller.cause)
        return self._journal.append(caller.session or HOST_STREAM, [draft], durable=True)[0]

    def _fail(self, requested: Event, entry: Entry, error: Error) -> None:
        payload = {"id": entry.id, **kept("error", error.to_value(), self._redactor)}
        self._close(requested, types.TOOL_FAILED, payload)

    def _close(self, requested: Event, type: str, payload: dict[str, Value]) -> None:
        draft = Draft(type, payload, requested.actor, requested.seq)
        try:
            self._journal.append(requested.stream, [draft])
        except Error as error:
            _log.error("the end of call %d could not be recorded: %s", requested.seq, error.message)
            raise


def _is_simple(entry: Entry) -> bool:
    """Whether a call is neither recorded nor retried nor run by an environment of a pool."""
    return (
        entry.kind in (KIND, PROCESS)
        and entry.meta.get("type") != "tool"
        and "pool" not in entry.fields
        and not (entry.meta.get("options") and entry.kind == KIND)
    )


def _home(entry: Entry) -> str | None:
    """Return the host that a process wants to be called on, None for a function: that of its caller."""
    if entry.kind != PROCESS:
        return None
    options: Any = entry.meta.get("options")
    host = entry.meta.get("default_host") or (
        options.get("default_host") if isinstance(options, Mapping) else None
    )
    return qualify(host, entry.namespace) if isinstance(host, str) else None


def _read_request(args: list[Any]) -> _Request:
    wanted = args[0] if args and isinstance(args[0], dict) else {}
    entry_id, key = wanted.get("id"), wanted.get("key")
    if not isinstance(entry_id, str) or not entry_id:
        raise Invalid("function ID required")
    namespace, colon, name = entry_id.partition(":")
    if not colon or not namespace:
        raise Invalid(f"namespace required in function ID `{entry_id}`: expected namespace:name")
    if not name:
        raise Invalid(f"name required in function ID `{entry_id}`: expected namespace:name")
    return _Request(
        id=entry_id,
        args=args[1:],
        key=key if isinstance(key, str) else None,
        context=read_values(wanted.get("context")),
        actor=read_actor(wanted.get("actor")),
        scope=read_scope(wanted.get("scope")),
        options=wanted.get("options"),
    )
