"""A recorded session run again, in memory: with the recorded programs, and with nothing of the world outside.

No model is asked, no tool is run and nothing is written: answers come from the tape, and the registry
changes where it changed. There is no network, no environment, no jail and no way to change the registry.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.app.checks import keep_policies
from runtime.app.commands import commands
from runtime.app.opening import Place, find_project, open_journal_to_read
from runtime.app.session import Session
from runtime.app.subjects import subject_of
from runtime.app.tape import Tape
from runtime.core.clock import SystemClock
from runtime.core.errors import Error, Invalid, NotFound, Unavailable, from_value
from runtime.core.redact import Redactor
from runtime.core.values import Value
from runtime.funcs.calls import FunctionCalls
from runtime.funcs.contracts import ContractCommands
from runtime.funcs.record import original
from runtime.journal import types
from runtime.journal.events import MAIN, Damaged, Draft, Event, Journal
from runtime.journal.memory import MemoryJournal
from runtime.llm.models import find_model
from runtime.llm.recorder import Recorder
from runtime.llm.request import Answer, Request, Tokens, ToolCall
from runtime.llm.selection import Selected
from runtime.llm.service import LlmService, Ways
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.lua.library import Library
from runtime.lua.program import Program
from runtime.lua.thread import LuaThread
from runtime.process.control import ProcessCommands
from runtime.process.events import EventBus
from runtime.process.programs import Programs
from runtime.process.spawning import SpawnCommands
from runtime.process.task import Start
from runtime.process.tasks import Tasks
from runtime.registry import history
from runtime.registry.entry import Op, Origin
from runtime.registry.gate import Proposed
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.security.model import project_model
from runtime.services.environment import EnvironmentCommands
from runtime.services.log import LogCommands
from runtime.services.registry_commands import RegistryCommands
from runtime.services.security_commands import SecurityCommands
from runtime.services.terminal import Terminal
from runtime.services.terminal_commands import TerminalCommands

LAST = "last"
PREFIX = "session:"
HOST = "replay:host"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What was played: the session, and how many of its events came again."""

    session: str
    events: int


def replay(place: Place, wanted: str, show: Callable[[str], None]) -> Replayed:
    """Run the session `wanted` (its id, the beginning of it, or `last`) again; `show` gets what it writes.

    Raises NotFound for a session, Damaged for a journal that was changed, Divergence where the run is
    another one.
    """
    with open_journal_to_read(place) as journal:
        found = journal.verify()
        if not found.ok:
            raise Damaged(f"the journal was changed: {found.problems[0]}; nothing is replayed from it")
        view, stream = find_session(journal, wanted)
        events = list(view.read(stream))
        changes = list(view.read(history.STREAM, types=[types.REGISTRY_APPLIED]))
    model = project_model(find_project(place, os.environ).root)
    return asyncio.run(_Replay(events, changes, model, show).run())


def find_session(journal: Journal, wanted: str) -> tuple[Journal, str]:
    """Return the branch and the stream of a session (its id, the beginning of it, or `last`).

    Raises NotFound where there is none, Invalid where several begin so.
    """
    started: list[tuple[int, str, str]] = []
    for branch in (MAIN, *journal.forks().by_name):
        for event in journal.on(branch).read(types=[types.SESSION_STARTED]):
            if event.branch == branch and isinstance(event.payload, dict) and event.payload.get("entry"):
                started.append((event.seq, branch, event.stream))
    name = wanted.removeprefix(PREFIX)
    fitting = [each for each in sorted(started) if wanted == LAST or each[2].startswith(PREFIX + name)]
    if not fitting:
        raise NotFound(
            f"no session `{wanted}` in the journal: `journal show --type session.started` lists them"
        )
    if wanted != LAST and len(fitting) > 1:
        raise Invalid(f"`{wanted}` is the beginning of {len(fitting)} sessions: give more of it")
    return journal.on(fitting[-1][1]), fitting[-1][2]


class _Journal(MemoryJournal):
    """A journal in memory that holds each event of the session against the tape."""

    tape: Tape | None = None
    stream = ""

    def append(
        self, stream: str, drafts: Sequence[Draft], *, expected: int | None = None, durable: bool = False
    ) -> list[Event]:
        """See `Journal.append`; raise Divergence."""
        events = super().append(stream, drafts, expected=expected, durable=durable)
        if self.tape is not None and stream == self.stream:
            for event in events:
                self.tape.take(event)
        return events


class _Terminal(Terminal):
    """Writes to `show`, and reads what the user said."""

    def __init__(self, tape: Tape, show: Callable[[str], None]) -> None:
        super().__init__(-1, -1, -1)
        self._tape = tape
        self._show = show

    def write(self, text: str, stream: str = "stdout") -> None:
        """See `Terminal.write`."""
        if stream == "stdout":
            self._show(text)

    async def readline(self) -> str | None:
        """See `Terminal.readline`."""
        return self._tape.next_line()


class _Tasks(Tasks):
    """Runs what is trusted, and answers the calls of tools from the tape."""

    journal: _Journal

    async def call(
        self,
        caller: Caller,
        program: Program,
        args: Sequence[Any],
        *,
        start: Start | None = None,
        host: str | None = None,
    ) -> Any:
        """See `Tasks.call`."""
        tape = self.journal.tape
        if tape is None or start is None or start.cause is None or start.cause == caller.cause:
            return await super().call(caller, program, args, start=start, host=host)
        answer = tape.answer_to(start.cause)
        payload: Any = answer.payload
        if answer.type == types.TOOL_FAILED and isinstance(payload.get("error"), dict):
            raise from_value(payload["error"])
        if "result" not in payload:
            raise tape.diverge(answer, "the answer was too large to be kept whole")
        return original(payload["result"])


class _Player:
    """Chooses and answers as the recorded models did."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def select(self, snapshot: Snapshot, reference: str) -> Selected:
        """See `Selector.select`."""
        model = find_model(snapshot, reference)
        choice = self._tape.choice(model.id)
        if choice is None:
            raise Unavailable(f"nothing says which model answered for `{model.id}`")
        offers = [each for each in model.offers if each.provider_model == choice["model"]]
        return Selected(
            self,
            model.id,
            choice["model"],
            choice["provider"],
            choice["host"],
            choice["credential"],
            choice["scripted"],
            choice.get("context_window"),
            dict(offers[0].options) if offers and not choice["scripted"] else {},
            choice.get("reason", ""),
        )

    def refuse(self, error: Error) -> None:
        """See `Selector.refuse`; the tape says what was asked after that."""

    async def generate(self, request: Request, on_chunk: Callable[[str], None]) -> Answer:
        """See `Driver.generate`."""
        del request  # its record was held against the tape
        answer = self._tape.answer_to(self.requested)
        payload: Any = answer.payload
        if answer.type == types.LLM_FAILED:
            if payload.get("text"):
                on_chunk(payload["text"])
            raise from_value(payload["error"])
        if payload["result"]:
            on_chunk(payload["result"])
        tokens = payload.get("tokens")
        return Answer(
            payload["result"],
            [ToolCall(**call) for call in payload["tool_calls"]],
            Tokens(tokens["prompt_tokens"], tokens["completion_tokens"], tokens["thinking_tokens"])
            if tokens
            else None,
            payload["finish_reason"],
            payload["metadata"],
        )

    requested: int | None = None
    """The seq of the request that is answered next."""

    async def close(self) -> None:
        """See `Driver.close`."""


class _Recorder(Recorder):
    """Tells the player which request it answers."""

    player: _Player

    def requested(self, *args: Any, **more: Any) -> Event:
        """See `Recorder.requested`."""
        event = super().requested(*args, **more)
        self.player.requested = event.seq
        return event


class _Closed:
    """The gate of a replay: nothing passes."""

    async def admit(self, change: Proposed) -> None:
        """See `ChangeGate.admit`."""
        raise Unavailable(f"a replay changes nothing: `{change.ops[0].entry.id}` was not written")


class _Replay:
    """One replay under way."""

    def __init__(
        self, events: list[Event], changes: list[Event], model: str, show: Callable[[str], None]
    ) -> None:
        started: Any = next(event for event in events if event.type == types.SESSION_STARTED)
        self._started = started
        self._settings: dict[str, Any] = started.payload
        self._changes = changes
        self._journal = _Journal(redactor=Redactor())
        while self._changes and self._changes[0].seq < started.seq:
            change = self._changes.pop(0)
            self._journal.append(history.STREAM, [Draft(change.type, change.payload, change.actor)])
        self._registry = Registry(self._journal, SystemClock())
        self._tape = Tape(events, self._go_on)
        self._terminal = _Terminal(self._tape, show)
        self._engine = Engine(model)
        self._guard = Guard(
            self._engine, self._settings.get("strict_mode", True) is not False, lambda _: None
        )

    async def run(self) -> Replayed:
        """Play the session to its end; raise Divergence."""
        snapshot = self._registry.current
        self._engine.rebuild(snapshot.entries())
        self._registry.subscribe(keep_policies(self._engine))
        session = Session(self._journal)
        tasks, programs = self._wire()
        named = [each for each in commands(snapshot) if each.entry.id == self._settings.get("entry")]
        if not named:
            raise NotFound(f"the command `{self._settings.get('entry')}` is not among the recorded entries")
        self._journal.stream, self._journal.tape = session.stream, self._tape
        self._tape.begin()
        start = Start(subject_of(named[0]).context(self._engine), session=session.stream)
        try:
            task = tasks.spawn(programs.get(named[0].entry), (), host=HOST, start=start)
            await tasks.wait(task)
        except Error:
            if self._tape.divergence is None:
                raise
        finally:
            await tasks.close()
        if self._tape.divergence is not None:
            raise self._tape.divergence
        self._tape.finish()
        return Replayed(self._started.stream.removeprefix(PREFIX), self._tape.played)

    def _wire(self) -> tuple[Tasks, Programs]:
        registry, guard, library = self._registry, self._guard, Library.discover()
        dispatcher = Dispatcher()
        tasks = _Tasks(dispatcher, lambda name, deliver: LuaThread(name, library, deliver))
        tasks.journal = self._journal
        programs = Programs(registry, library)
        player = _Player(self._tape)
        recorder = _Recorder(self._journal)
        recorder.player = player

        def send(caller: Caller, pid: str, topic: str, payloads: list[Value]) -> None:
            tasks.send(pid, topic, payloads, sender=caller.task)

        ways = Ways(lambda: registry.current, send, lambda caller: caller.task, lambda _error: None)
        LlmService(player, recorder, guard, ways).register(dispatcher)
        calls = FunctionCalls(tasks, programs, registry, guard, self._journal)
        redactor = self._journal.redactor
        parts: tuple[Mapping[str, Any], ...] = (
            calls.handlers(),
            ContractCommands(calls, guard, lambda: registry.current).handlers(),
            EventBus(tasks, guard).handlers(),
            ProcessCommands(tasks, guard).handlers(),
            SpawnCommands(tasks, guard, programs, lambda: registry.current).handlers(),
            RegistryCommands(registry, guard, _Closed()).handlers(),
            SecurityCommands(guard).handlers(),
            EnvironmentCommands(guard, lambda: registry.current, {}, redactor).handlers(),
            LogCommands(redactor).handlers(),
            TerminalCommands(self._terminal, HOST).handlers(),
        )
        for handlers in parts:
            for name, handler in handlers.items():
                dispatcher.register(name, handler)
        for host in (HOST, *(each.id for each in registry.current.kind("process.host"))):
            tasks.open_host(host)
        return tasks, programs

    def _go_on(self, seq: int) -> None:
        """Change the registry as it was changed before the event `seq`."""
        while self._changes and self._changes[0].seq < seq:
            change = self._changes.pop(0)
            payload: Any = change.payload
            ops: list[Op] = []
            gone: set[str] = set()
            for entry_id, entry, _, _, _ in history.operations(change):
                if entry is None:
                    gone.add(entry_id)
                    ops.append(Op.delete(entry_id))
                else:
                    there = entry_id in self._registry.current and entry_id not in gone
                    ops.append(Op("update" if there else "create", entry))
            if ops:
                self._registry.apply(ops, actor=change.actor, origin=Origin(payload["origin"]))
