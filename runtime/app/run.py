"""One run of a command: open, load, wire, start the process, listen to signals, end with its exit code."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Collection
from contextlib import ExitStack
from functools import partial
from typing import Any

from runtime.app.commands import Command, commands, find_command, terminal_host
from runtime.app.host_socket import serving
from runtime.app.loading import load_project
from runtime.app.logs import set_up_logs
from runtime.app.opening import Opened, Place, open_host, open_registry_to_read
from runtime.app.options import Options
from runtime.app.outcome import Outcome, process_code
from runtime.app.owner import answer
from runtime.app.parts import Parts, build
from runtime.app.reloading import keep_reloading, look_at
from runtime.app.session import Session
from runtime.app.start_notices import say_what_happened
from runtime.app.subjects import subject_of
from runtime.app.traces import failure
from runtime.app.wording import Wording
from runtime.core.errors import Canceled, Error, Invalid
from runtime.core.values import Value
from runtime.process.lifecycle import read_lifecycle
from runtime.process.task import Start, Task
from runtime.registry.entry import Origin
from runtime.registry.snapshot import Snapshot
from runtime.services.terminal import Terminal

UNASKED_SECONDS = 1.0  # after which a process that has read no line yet is taken for one that reads none
STUBBORN_SIGNALS = 3  # Ctrl-C without an end of the turn in between, until the run is ended


def run_list(place: Place) -> list[Command]:
    """Return the commands of a project."""
    return commands(open_registry_to_read(place).current)


def run_command(options: Options, wording: Wording) -> int:
    """Run what `options` ask for and return the exit code; raises an Error where the run can not start."""
    return asyncio.run(_run(options, wording))


async def _run(options: Options, wording: Wording) -> int:
    with ExitStack() as stack:
        opened = open_host(
            stack,
            Place(options.project, options.state),
            options.environment,
            ephemeral=options.ephemeral,
            write_lock=not (options.locked or options.frozen),
            overrides=options.settings,
            branch=options.branch,
        )
        encoding = opened.project.settings.get("logger.encoding", "console")
        set_up_logs(opened.redactor, verbose=options.verbose, silent=options.silent, encoding=encoding)
        terminal = Terminal()
        outcome = Outcome()
        session = Session(opened.journal)
        parts = build(opened, options, terminal, wording, outcome, session)
        seen = look_at(opened.project) if options.may_watch else None
        snapshot = load_project(opened.registry, opened.project)
        parts.guard.engine.rebuild(
            snapshot.entries()
        )  # listeners hear of what changed, not of what was there
        say_what_happened(opened, terminal, options.consent)
        run = _Run(opened, options, terminal, outcome, session, parts)
        try:
            services = find_command(snapshot, options.words)[0] is None
            if seen is not None and (options.watch or terminal.interactive or services):
                stack.callback(
                    keep_reloading(opened, options, terminal, parts.guard.engine, seen, run.asked).cancel
                )
            if options.ephemeral:
                return await run.run()
            asked = partial(answer, opened)
            async with serving(opened.project.state_dir, asked, terminal.notice):
                return await run.run()
        finally:
            await parts.close()


class _Run:
    """The run under way."""

    def __init__(
        self,
        opened: Opened,
        options: Options,
        terminal: Terminal,
        outcome: Outcome,
        session: Session,
        parts: Parts,
    ) -> None:
        self._opened = opened
        self._options = options
        self._terminal = terminal
        self._outcome = outcome
        self._session = session
        self._parts = parts
        self._interrupts = 0
        self._task: Task | None = None
        self._stop = asyncio.Event()
        self._ended = False
        self.asked = asyncio.Event()
        """Set once the process waits for its first line, or where it does not for a while."""
        self._reads = False

    async def run(self) -> int:
        snapshot = self._opened.registry.current
        command, words = find_command(snapshot, self._options.words)
        self._parts.services.open_hosts()
        self._listen()
        if command is None:
            _refuse_to_idle(snapshot)
            self._parts.services.start()
            self.asked.set()
            return await self._stay()
        host = terminal_host(snapshot, self._options.host)
        context = subject_of(command).context(self._parts.guard.engine)
        program = self._parts.programs.get(command.entry)
        self._parts.open_terminal(host)
        self._parts.services.start()
        self._terminal.args = (*words, *self._options.arguments)
        self._feed_prompt()
        self._session.started(
            command.name,
            command.entry.id,
            context.actor.id if context.actor else "",
            {
                "approve": str(self._options.consent),
                "arguments": list(self._terminal.args),
                **self._settings(),
            },
        )
        self._task = self._parts.tasks.spawn(
            program, self._terminal.args, host=host, start=Start(context, session=self._session.stream)
        )
        return await self._finish(self._task)

    async def _finish(self, task: Task) -> int:
        error: Error | None = None
        value: Any = None
        try:
            value = await self._parts.tasks.wait(task)
        except Error as raised:
            error = raised
        self._ended = True
        self._give_up(self._parts.heartbeat.hung)
        await self._parts.services.stop()
        code, whose = self._outcome.code(1 if error else process_code(value))
        if error and self._outcome.signal_code is None and not self._terminal.closed:
            self._terminal.notice(self._opened.redactor.text(failure(error)))
        elif isinstance(value, str) and value:
            self._terminal.write(value + "\n")
        for entry_id in self._outcome.pending:
            self._terminal.notice(
                f"waits for its owner: `{entry_id}` was not written; decide at a terminal, or run with --yes"
            )
        if self._terminal.closed:
            code, whose = 0, "closed pipe"
        self._session.ended(code, whose, str(error) if error else "")
        if self._terminal.interactive:
            self._terminal.notice(f"session {self._session.id}, journal head {self._opened.journal.head()}")
        return code

    async def _stay(self) -> int:
        self._terminal.notice(
            f"running, no command was named: {self._services()}; Ctrl-C ends it (see `runtime run list`)"
        )
        self._session.started("", "", "", self._settings())
        await self._stop.wait()
        await self._parts.services.stop()
        code, whose = self._outcome.code(0)
        self._session.ended(code, whose)
        return code

    def _services(self) -> str:
        """Say which services were started."""
        found = self._parts.services.supervisor.services()
        names = ", ".join(f"`{each.entry.id}`" for each in found)
        return (
            f"{'service' if len(found) == 1 else 'services'} {names}"
            if found
            else "no service starts by itself"
        )

    def _settings(self) -> dict[str, Value]:
        """What a reader of the session must know to judge it."""
        settings: dict[str, Value] = {"strict_mode": self._parts.guard.strict}
        if self._options.compat:
            settings["compat"] = self._options.compat
        if self._opened.project.settings.get("loader.lenient", False):
            settings["lenient"] = True
            settings["left_out"] = len(self._opened.registry.report.left_out)
        return settings

    def _feed_prompt(self) -> None:
        prompt, lines = self._options.prompt, self._options.lines
        if prompt == "-":
            prompt = sys.stdin.buffer.read().decode("utf-8", "replace")
        if prompt is not None:
            lines = (prompt.rstrip("\n"),)
        if lines is not None:
            self._terminal.feed(list(lines))

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        loop.add_signal_handler(signal.SIGTERM, self._end, 143, "the run was terminated")
        self._terminal.on_closed = lambda: self._end(0, "the reader of the output is gone")
        self._terminal.on_line = self._forget_interrupts
        loop.call_later(UNASKED_SECONDS, self.asked.set)
        self._parts.on_exit.append(lambda: self._leave("a process asked the run to end"))
        self._parts.heartbeat.listen(lambda silence: self._give_up({silence.host}))
        self._parts.heartbeat.start()

    def _forget_interrupts(self) -> None:
        self._reads = True
        self.asked.set()
        self._interrupts = 0

    def _interrupt(self) -> None:
        """Ctrl-C ends the turn of a process that reads lines from a person; else, or in the end, the run."""
        self._interrupts += 1
        self._terminal.forget_partial_line()
        talks = self._task is not None and self._terminal.interactive and self._reads
        if not talks or self._task is None or self._interrupts >= STUBBORN_SIGNALS:
            if self._terminal.interactive and not self._stop.is_set():
                self._terminal.notice("ending; Ctrl-C again ends it at once")
            self._end(130, "interrupted")
        else:
            self._parts.tasks.interrupt(self._task)

    def _end(self, code: int, why: str) -> None:
        """Ask the process to end, by force once its host's time for that is over, or when asked again."""
        if code:
            self._outcome.signal_code = self._outcome.signal_code or code
        self._leave(why, forced=not code)

    def _give_up(self, hosts: Collection[str]) -> None:
        """Once the run is to end, wait for nothing on hosts whose Lua hangs: nobody there hears of it."""
        if self._stop.is_set() or self._ended:
            for task in self._parts.tasks.processes():
                if task.host in hosts:
                    self._parts.tasks.kill(task, Canceled("the run ends, and its Lua does not answer"))

    def _leave(self, why: str, *, forced: bool = False) -> None:
        again, task = self._stop.is_set(), self._task
        self._stop.set()
        if again:
            self._parts.services.hurry()
        self._give_up(self._parts.heartbeat.hung)
        if task is None:
            return
        if again or forced:
            self._parts.tasks.kill(task, Canceled(why))
            return
        self._parts.tasks.retire(task, why, patient=False)
        host = self._opened.registry.current.get(task.host)
        seconds = read_lifecycle(host).stop_timeout if host is not None else 0.0
        asyncio.get_running_loop().call_later(seconds, self._parts.tasks.kill, task, Canceled(why))


def _refuse_to_idle(snapshot: Snapshot) -> None:
    """Raise Invalid where no command was named and there is no service to stay for."""
    if any(entry.origin is not Origin.MODULE for entry in snapshot.kind("process.service")):
        return
    names = ", ".join(f"`{each.name}`" for each in commands(snapshot)) or "none"
    raise Invalid(f"no command was named, and this project has no services; commands: {names}")
