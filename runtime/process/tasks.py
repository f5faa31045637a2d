"""Every task of the runtime: where it runs, what it says, and what ends it. All of it is the event loop's.

Where a program runs is decided here and nowhere else, by the least trusted origin of all that is linked into
it: code born at run time goes to the jail, whatever road asked for it. Function calls work for their caller
and end with it; processes stand alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from runtime.core.errors import Canceled, Error, Invalid, NotFound, Unavailable
from runtime.core.values import Value
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.lua.messages import (
    Become,
    Drop,
    Exited,
    Kill,
    Message,
    Reply,
    Retire,
    Spawn,
    Started,
    TaskLimits,
)
from runtime.lua.program import Program
from runtime.process.adoption import Adoption
from runtime.process.confine import TRUSTED, Confine, canceled, outcome
from runtime.process.heartbeat import Silence
from runtime.process.host import NewThread
from runtime.process.hosts import Hosts
from runtime.process.interrupting import Interrupts
from runtime.process.line import Line
from runtime.process.names import Names
from runtime.process.task import Start, Task, pid_text
from runtime.process.ties import CANCEL, EVENTS, Ties

MAX_DEPTH = 64
"""How deep function calls may nest: each waits for the next, so nothing else would stop an endless chain."""

MAX_JAILED = 32
"""How many jailed children may live at once."""

MANY_NUMBERS = 1024
"""How many numbers of PIDs a Lua state gets at a time."""

INSIST_SECONDS = 2.0
_SETTLE_SECONDS = 1.0


class Tasks:
    """The table of tasks.

    `new_thread` makes the Lua thread of a host. `confine` runs what is not trusted; without one such programs
    are refused. `limits` hold for each task in a Lua thread. `on_spawned` and `on_exited` hear of every
    process, not of function calls.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        new_thread: NewThread,
        *,
        confine: Confine | None = None,
        limits: TaskLimits | None = None,
        insist_seconds: float = INSIST_SECONDS,
        most_jailed: int = MAX_JAILED,
        on_spawned: Callable[[Task], None] | None = None,
        on_exited: Callable[[Task, Error | None], None] | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._confine = confine
        self._limits = limits or TaskLimits()
        self._most_jailed = most_jailed
        self._on_spawned = on_spawned
        self._on_exited = on_exited
        self._hosts = Hosts(new_thread, self._heard)
        self._table: dict[str, Task] = {}
        self._number = 0
        self._jailed = 0
        self.adoption = Adoption(self, dispatcher)
        self._interrupts = Interrupts(self._hosts.post, self.kill, insist_seconds)
        self.names = Names()
        self.ties = Ties(self._tell, self.kill, time.time)
        self._settling: set[asyncio.Task[None]] = set()

    # -- hosts -----------------------------------------------------------------------------------------------

    def open_host(
        self, host: str, most: int | None = None, *, loop: asyncio.AbstractEventLoop | None = None
    ) -> None:
        """Start the Lua thread of the entry `host`, for `most` processes at once (None: any number).

        One that runs already only gets the new number.
        """
        self._hosts.open(host, most, loop=loop)

    def close_host(self, host: str) -> None:
        """End what runs on `host`, and its Lua thread."""
        for task in [task for task in self._table.values() if task.host == host]:
            self.kill(task, Canceled(f"host `{host}` is closed"))
        self._hosts.close(host)

    def drop_environment(self, host: str, kept_as: str) -> None:
        """Forget the environment that is kept under a name on `host`."""
        self._hosts.post(host, Drop(kept_as))

    def hosts(self) -> list[str]:
        """Return the ids of the hosts that are open, sorted."""
        return self._hosts.ids()

    def silences(self) -> list[Silence]:
        """Return, for each host whose Lua runs now, since when it gives no sign of life."""
        return self._hosts.silences()

    # -- starting --------------------------------------------------------------------------------------------

    def spawn(self, program: Program, args: Sequence[Any], *, host: str, start: Start | None = None) -> Task:
        """Start a process of `program` on `host` and return it; raise NotFound where the host is not open."""
        task = self._start(program, args, host, start or Start(), None)
        self.tell_spawned(task)
        return task

    async def call(
        self,
        caller: Caller,
        program: Program,
        args: Sequence[Any],
        *,
        start: Start | None = None,
        host: str | None = None,
    ) -> Any:
        """Return what `program` returns for `args`, called by the task of `caller` on its host, or on `host`.

        Unless `start` says more, the call works for whom the caller works. Raises the Error that it fails
        with. Cancelling ends the call and whatever it started.
        """
        task = self.begin_call(caller, program, args, start=start, host=host)
        return await self.wait(task, or_kill=Canceled(f"the call of `{program.entry}` was canceled"))

    def begin_call(
        self,
        caller: Caller,
        program: Program,
        args: Sequence[Any],
        *,
        start: Start | None = None,
        host: str | None = None,
    ) -> Task:
        """Begin what `call` waits for and return its task."""
        start = start or Start(caller.context, caller.values, caller.session, caller.cause)
        return self._start(program, args, host or caller.host or "", start, self._table.get(caller.task))

    async def wait(self, task: Task, *, or_kill: Error | None = None) -> Any:
        """Return what `task` ends with, or raise its Error; kill it with `or_kill` when cancelled."""
        try:
            await task.wait()
        except asyncio.CancelledError:
            if or_kill is not None:
                self.kill(task, or_kill)
            raise
        return task.outcome()

    def _start(
        self, program: Program, args: Sequence[Any], host: str, start: Start, parent: Task | None
    ) -> Task:
        home = self._hosts.get(host)
        if home is None:
            message = f"host `{host}` is not running: it must be a process.host of the project"
            raise NotFound(message, details={"host": host})
        like = Caller("", "", "", start.context, start.values, start.session, host, start.cause)
        jailed = program.origin not in TRUSTED
        self._check_room(program, parent, host, jailed)
        id = pid_text(host, self.reserve(1)[0])
        task = Task(id, like, self._dispatcher, program, parent, jailed=jailed)
        self.enter(task)
        if jailed:
            self._jailed += 1
            task.child = asyncio.create_task(self._run_confined(task, program, args))
            task.child.add_done_callback(lambda _: self._end(task, None, task.ending or canceled(task)))
        else:
            given = (tuple(args), dict(start.values), _info(task.caller))
            home.post(Spawn(task.id, program, *given, self._limits, start.kept_as))
        return task

    def enter(self, task: Task) -> None:
        """Put a task that runs into the table."""
        self._table[task.id] = task
        if task.parent is None:
            self._hosts.enter(task.host)

    def tell_spawned(self, task: Task) -> None:
        """Tell who listens that a process was started."""
        if self._on_spawned is not None:
            self._on_spawned(task)

    def reserve(self, count: int = MANY_NUMBERS) -> tuple[int, int]:
        """Return the first and the last of `count` numbers of PIDs that are given to nobody else."""
        self._number += count
        return self._number - count + 1, self._number

    def _check_room(self, program: Program, parent: Task | None, host: str, jailed: bool) -> None:
        if parent is None:
            self._hosts.check_room(host)
        if parent is not None and parent.depth >= MAX_DEPTH:
            raise Invalid(f"`{program.entry}` is not called: calls nest deeper than {MAX_DEPTH} already")
        if jailed and self._jailed >= self._most_jailed:
            raise Unavailable(
                f"`{program.entry}` is not called: {self._most_jailed} jailed calls run already",
                retryable=True,
            )

    async def _run_confined(self, task: Task, program: Program, args: Sequence[Any]) -> None:
        value, error = await outcome(self._confine, task, program, args, _info(task.caller))
        self._end(task, value, error)

    # -- talking ---------------------------------------------------------------------------------------------

    def send(self, dest: str, topic: str, payloads: Sequence[Any], *, sender: str = "") -> None:
        """Put a message into the mailbox of the task `dest` (a PID); raise NotFound where there is none.

        Messages and answers to one task arrive in the order in which they were given here.
        """
        task = self.resolve(dest)
        if task.jailed:
            raise Unavailable(f"`{dest}` runs in a jail and takes no messages", details={"pid": dest})
        self._hosts.post(task.host, Message(task.id, topic, sender, tuple(payloads)))

    def resolve(self, dest: str) -> Task:
        """Return the living task of a PID or a registered name; raise NotFound where there is none."""
        task = self._table.get(self.names.find(dest) or dest)
        if task is not None and task.alive:
            return task
        details: dict[str, Value] = {"pid": dest}
        if dest.startswith("{"):
            raise NotFound(f"process not found: `{dest}` has ended or was never there", details=details)
        raise NotFound(f"could not resolve `{dest}` as PID or registered name: not found", details=details)

    def _tell(self, task: Task, sender: str, event: dict[str, Any]) -> None:
        self.notify(task, EVENTS, event, sender=sender)

    def notify(self, task: Task, topic: str, value: Any, *, sender: str = "") -> None:
        """Put what the host has to say into the mailbox of a task; what runs in a jail has none."""
        if task.alive and not task.jailed:
            self._hosts.post(task.host, Message(task.id, topic, sender, (value,)))

    def cancel(self, task: Task, sender: str, reason: str) -> None:
        """Ask `task` to end, by an event that it may act on; what runs in a jail is ended."""
        if task.jailed:
            self.kill(task, Canceled(reason or "canceled"))
        else:
            self._tell(task, sender, self.ties.event(CANCEL, sender, reason=reason))

    def retire(self, task: Task, reason: str, *, patient: bool = True) -> None:
        """Ask `task` to end: by CANCEL where it listens to its events, else as soon as it rests.

        One that does not listen is ended at once where it is not to be treated `patient`ly, and so is what
        runs in a jail.
        """
        if task.jailed:
            self.kill(task, Canceled(reason))
        elif task.alive:
            event = self.ties.event(CANCEL, "", reason=reason)
            self._hosts.post(task.host, Retire(task.id, EVENTS, event, Canceled(reason), patient))

    def count(self) -> int:
        """Return how many tasks live: processes, and the function calls that the host has heard of."""
        return len(self._table)

    def running(self, host: str) -> int:
        """Return how many processes run on `host`."""
        return self._hosts.running(host)

    def processes(self, host: str | None = None) -> list[Task]:
        """Return the processes that live, on `host` or everywhere; function calls are none."""
        return [
            task
            for task in self._table.values()
            if task.parent is None and (host is None or task.host == host)
        ]

    @property
    def epoch(self) -> int:
        """How often what was allowed before had to be asked for again."""
        return self._hosts.epoch

    def are_neighbours(self, sender: str, pid: str) -> bool:
        """Whether messages from `sender` to `pid` need not leave their Lua state."""
        one, other = self._table.get(sender), self._table.get(pid)
        return not (one is None or other is None or one.jailed or other.jailed or one.host != other.host)

    def has_endless_room(self, host: str) -> bool:
        """Whether `host` is open and takes any number of processes, each for any time in all."""
        return self._limits.total_seconds is None and self._hosts.has_endless_room(host)

    def policies_changed(self) -> None:
        """Make every Lua state ask again for what it was allowed before."""
        self._hosts.new_epoch()

    def upgrade(self, pid: str, program: Program, args: Sequence[Any]) -> None:
        """Run `program` in place of what the process `pid` runs; it keeps its PID, names, ties and mailbox.

        Raises NotFound where it has ended, Invalid for a function call, Unavailable where one of the two
        belongs into a jail.
        """
        task = self.resolve(pid)
        if task.parent is not None:
            raise Invalid(f"`{task.caller.entry}` is a function call: only a process is upgraded")
        if task.jailed or program.origin not in TRUSTED:
            raise Unavailable(f"`{program.entry}` was made at run time: a process is not upgraded to it")
        task.become(program)
        self._hosts.post(task.host, Become(task.id, program, tuple(args)))

    def get(self, pid: str) -> Task | None:
        """Return the task of a PID while it lives."""
        return self._table.get(pid)

    def _heard(self, outputs: Sequence[Any]) -> None:
        for output in outputs:
            if isinstance(output, Started):
                self.adoption.adopt(output)
            elif (task := self._table.get(output.task)) is not None:
                self.line_of(task).put(output)

    def line_of(self, task: Task) -> Line:
        """Return what takes up what a task in a Lua thread says."""
        if task.line is None:
            host, id = task.host, task.id

            def reply(call: int, results: tuple[Any, ...], error: Error | None) -> None:
                self._hosts.post(host, Reply(id, call, results, error))

            task.line = Line(task.commands, reply, lambda exited: self._exited(task, exited))
        return task.line

    # -- ending ----------------------------------------------------------------------------------------------

    def interrupt(self, task: Task) -> None:
        """Stop what `task` and its calls do: see `Interrupts.interrupt`."""
        self._interrupts.interrupt(task)

    def discard(self, host: str, id: str, error: Error) -> None:
        """End what runs under a PID on a host and has no row here."""
        self._hosts.post(host, Kill(id, error))

    def kill(self, task: Task, error: Error) -> None:
        """End `task` with `error`, and its calls with it; nothing that it says after this is heard."""
        if not task.alive or task.ending is not None:
            return
        task.ending = error
        if task.child is not None:
            task.child.cancel()  # the jail kills the process group on its way out
            return
        self._hosts.post(task.host, Kill(task.id, error))
        self._end(task, None, error)

    async def close(self) -> None:
        """End every task and every Lua thread; a thread that hangs inside C is left behind."""
        for task in list(self._table.values()):
            self.kill(task, Canceled("the program ends"))
        waiting = [task.child for task in self._table.values() if task.child is not None]
        if waiting or self._settling:
            await asyncio.wait({*waiting, *self._settling}, timeout=2 * _SETTLE_SECONDS)
        self._hosts.close_all()

    def _exited(self, task: Task, exited: Exited) -> None:
        self._end(task, exited.value, exited.error)

    def _end(self, task: Task, value: Any, error: Error | None) -> None:
        """Forget `task`, cancel what it has in flight, and once that is over tell those who wait for it."""
        if self._table.pop(task.id, None) is None:
            return
        self.names.release(task.id)
        task.leave()
        self._jailed -= task.jailed
        in_flight = task.stop()
        for child in task.calls:
            self.kill(child, Canceled(f"`{task.caller.entry}`, which called it, has ended"))
            if child.child is not None:
                in_flight.append(child.child)
        if in_flight:
            settling = asyncio.create_task(self._settle(task, in_flight, value, error))
            self._settling.add(settling)
            settling.add_done_callback(self._settling.discard)
        else:
            self._finish(task, value, error)

    async def _settle(
        self, task: Task, in_flight: list[asyncio.Task[Any]], value: Any, error: Error | None
    ) -> None:
        await asyncio.wait(in_flight, timeout=_SETTLE_SECONDS)
        self._finish(task, value, error)

    def _finish(self, task: Task, value: Any, error: Error | None) -> None:
        task.end(value, error)
        self.ties.ended(task, value, error)
        if task.parent is None:
            self._hosts.leave(task.host)
            if self._on_exited is not None:
                self._on_exited(task, error)


def _info(caller: Caller) -> dict[str, Value]:
    return {"id": caller.entry, "pid": caller.task, "host": caller.host}
