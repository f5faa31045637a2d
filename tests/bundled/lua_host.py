"""Runs the bundled libraries and the application in a real machine under the real registry and guard.

Only the model is a script: it takes the place of `llm_host`, answers from a list and keeps what it was asked.
Functions run in the same machine; lines for the terminal come from a list, and what is written is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from runtime.bundled import COMPONENTS, bundled_root
from runtime.core.clock import SystemClock
from runtime.core.errors import Canceled, Error, NotFound, from_value
from runtime.journal.memory import MemoryJournal
from runtime.lua.dispatch import Caller, Dispatcher
from runtime.lua.library import Library
from runtime.lua.machine import Cast, Command, Exited, Machine, Message, Output, Reply, Spawn
from runtime.lua.module import Module
from runtime.lua.program import check_syntax, link
from runtime.registry import link as requirements
from runtime.registry.entry import Entry, Origin
from runtime.registry.loader import load_tree
from runtime.registry.registry import Registry
from runtime.security.actor import Actor, Context, Scope
from runtime.security.engine import Engine
from runtime.security.guard import Guard
from runtime.services.documentation import Documentation, Page
from runtime.services.http import HttpService
from runtime.services.registry_commands import RegistryCommands
from runtime.services.security_commands import SecurityCommands

ROOT = Path(__file__).resolve().parents[2]
PID = "{terminal|1}"
PAGE = Page("lua/core/time", "time", "Clocks and durations", "# time\n\n`time.now()` is now.\n")
MAIN = "main"

_LLM_HOST = """
local host = ...
return {
  generate = function(request) return host.sync("generate", request) end,
  select = function(options) return host.sync("select", options) end,
}
"""
_SCRIPTED = """
local host = ...
return {
  answer = function(answer) host.sync("answer", answer) end,
  fail = function(kind, message, details) host.sync("fail", kind, message, details or {}) end,
  requests = function() return host.sync("requests") end,
}
"""


class Model:
    """The script: each request takes the next answer; an Error among them is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers: list[Any] = list(answers)
        self.requests: list[Any] = []
        self.scripted = False

    def modules(self) -> list[Module]:
        functions: dict[str, Callable[..., Any]] = {
            "generate": self._generate,
            "select": lambda options: {"model": "", "scripted": self.scripted, "host": "", **options},
            "answer": self.answers.append,
            "fail": self._fail,
            "requests": lambda: self.requests,
        }
        return [
            Module("llm_host", _LLM_HOST, functions, privileged=True),
            Module("scripted", _SCRIPTED, functions),
        ]

    def _generate(self, request: Any) -> Any:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else {"result": "nothing left to say"}
        if isinstance(answer, Error):
            raise answer
        return {"finish_reason": "stop", "metadata": {}, **answer}

    def _fail(self, kind: str, message: str, details: Any) -> None:
        self.answers.append(from_value({"kind": kind, "message": message, "details": details or {}}))


class Consenting:
    """A gate that lets every change pass, or raises the given error."""

    def __init__(self, refusal: Error | None = None) -> None:
        self.refusal = refusal
        self.seen: list[Any] = []

    async def admit(self, change: Any) -> None:
        self.seen.append(change)
        if self.refusal:
            raise self.refusal


def project_entries(*more: Path) -> list[Entry]:
    """Return the linked entries of the application, the bundled modules and the folders `more`."""
    entries = load_tree(ROOT / "src", project=ROOT)
    for component in COMPONENTS:
        folder = bundled_root() / component
        entries += load_tree(folder, project=bundled_root(), origin=Origin.MODULE, meta={"module": component})
    for folder in more:
        entries += load_tree(folder, project=ROOT)
    return requirements.link(entries)


class LuaHost:
    """One machine, one registry, one caller."""

    def __init__(
        self,
        entries: Iterable[Entry],
        model: Model,
        *,
        context: Context | None = None,
        gate: Consenting | None = None,
        lines: Iterable[str | Error] = (),
        terminal: bool = False,
        pages: Iterable[Page] = (PAGE,),
    ) -> None:
        found = [module for module in _modules() if module.name not in ("llm_host", "scripted")]
        self.library = Library([*found, *model.modules()])
        self.registry = Registry(MemoryJournal(), SystemClock())
        self.registry.check_with(self._check)
        self.registry.load(entries)
        self.engine = Engine()
        self.engine.rebuild(self.registry.current.entries())
        self.denials: list[Any] = []
        self.guard = Guard(self.engine, on_denied=self.denials.append)
        self.context = context or self.agent_context()
        self.written = ""
        self.errors = ""
        self.called: list[str] = []
        self.failing: dict[str, Error] = {}
        self._lines = list(lines)
        self._terminal = terminal
        self._waiting: dict[str, tuple[str, int]] = {}
        self._machine = Machine(self.library)
        self._dispatcher = Dispatcher()
        documentation = Documentation({page.path: page for page in pages})
        for part in (
            RegistryCommands(self.registry, self.guard, gate or Consenting()),
            SecurityCommands(self.guard),
            HttpService(self.guard, documentation),
        ):
            for name, handler in part.handlers().items():
                self._dispatcher.register(name, handler)

    def agent_context(self, without: str = "") -> Context:
        """Return the actor and scope of the command `agent`, without one policy where it is named."""
        security = self.registry.current.require("app:agent").meta["command"]["security"]  # type: ignore[index,call-overload]
        policies = [each for each in security["policies"] if each != without]  # type: ignore[index,call-overload]
        return Context(Actor(security["actor"]["id"]), Scope(policies))  # type: ignore[index,call-overload]

    def run(self, entry: Entry | str, *args: Any) -> Any:
        """Run an entry to its end and return its value; raise its error."""
        found = self.registry.current.require(entry) if isinstance(entry, str) else entry
        return asyncio.run(self._run(found, args))

    async def _run(self, entry: Entry, args: tuple[Any, ...]) -> Any:
        program = link(entry, self.registry.current.get, self.library)
        info = {"id": entry.id, "pid": PID, "host": "wippy.terminal:host"}
        pending: list[Any] = [Spawn(MAIN, program, args, {}, info)]
        while True:
            outputs, due = self._machine.step(pending)
            pending = []
            for output in outputs:
                if isinstance(output, Exited) and output.task == MAIN:
                    if output.error:
                        raise output.error
                    return output.value
                pending += await self._take(output)
            assert pending or due is not None, "the program waits for nothing"

    async def _take(self, output: Output) -> list[Any]:
        if isinstance(output, Exited):
            task, call = self._waiting.pop(output.task)
            return [Reply(task, call, (output.value,), output.error)]
        if isinstance(output, Cast):
            self._write(output.args[0])
            return []
        try:
            return self._own(output) or [Reply(output.task, output.call, await self._ask(output))]
        except Error as error:
            return [Reply(output.task, output.call, (), error)]

    async def _ask(self, command: Command) -> tuple[Any, ...]:
        caller = Caller(command.task, "app:agent", context=self.context)
        return await self._dispatcher.dispatch(caller, command.name, command.args)

    def _own(self, command: Command) -> list[Any]:
        match command.name, command.args:
            case "funcs.call", [dict(wanted), *args]:
                return self._call(command, str(wanted["id"]), args)
            case "process.send", [dict(wanted), *payloads]:
                message = Message(command.task, str(wanted["topic"]), PID, tuple(payloads))
                return [message, Reply(command.task, command.call, (True,))]
            case "io.readline", prompt:
                self.written += "".join(prompt)
                return [Reply(command.task, command.call, (self._next_line(),))]
            case "io.is_terminal", _:
                return [Reply(command.task, command.call, (self._terminal,))]
            case (("io.available" | "io.flush"), _):
                return [Reply(command.task, command.call, (True,))]
        return []

    def _call(self, command: Command, entry_id: str, args: list[Any]) -> list[Any]:
        self.guard.require(self.context, "funcs.call", entry_id)
        self.called.append(entry_id)
        if failure := self.failing.get(entry_id):
            raise failure
        entry = self.registry.current.require(entry_id)
        task = f"call{len(self.called)}"
        self._waiting[task] = (command.task, command.call)
        program = link(entry, self.registry.current.get, self.library)
        return [Spawn(task, program, tuple(args), {}, {"id": entry_id, "pid": "", "host": ""})]

    def _next_line(self) -> str | None:
        line = self._lines.pop(0) if self._lines else None
        if isinstance(line, Error):
            raise line
        return line

    def _write(self, wanted: dict[str, Any]) -> None:
        if wanted["stream"] == "stderr":
            self.errors += wanted["text"]
        else:
            self.written += wanted["text"]

    def _check(self, entry: Entry, snapshot: Any) -> None:
        if entry.kind in ("function.lua", "library.lua", "process.lua"):
            check_syntax(str(entry.fields.get("source")), entry.id)
            if entry.kind != "library.lua":
                link(entry, snapshot.get, self.library)


def _modules() -> list[Module]:
    library = Library.discover()
    return [library.get(name) for name in library.names()]


__all__ = ["Canceled", "Consenting", "LuaHost", "Model", "NotFound", "project_entries"]
