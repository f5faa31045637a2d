"""Runs Lua with the modules of the library in a real machine, under a clock that jumps to the next timer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from runtime.core.errors import Error, PermissionDenied
from runtime.lua.library import Library
from runtime.lua.machine import Cast, Command, Exited, Input, Machine, Message, Reply, Spawn
from runtime.lua.program import link

CASES = Path(__file__).resolve().parents[1] / "lua"
START = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
MAX_STEPS = 10_000


class JumpingClock:
    """Time stands still but for `advance`."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return 1000.0 + self.passed

    def advance_to(self, moment: float) -> None:
        self.passed = max(self.passed, moment - 1000.0)


@dataclass(frozen=True)
class Source:
    """An entry as linking sees it."""

    id: str
    data: dict[str, Any]
    kind: str = "function.lua"
    origin: str = "file"
    place: Any = None
    source_name: str = ""


CHECK = Source("case:check", {"source": (CASES / "check.lua").read_text(encoding="utf-8")}, "library.lua")


@dataclass
class ModuleHost:
    """One machine; commands are answered by `answers`, a function of the arguments by command name."""

    answers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    library: Library = field(default_factory=Library.discover)
    clock: JumpingClock = field(default_factory=JumpingClock)
    commands: list[Command] = field(default_factory=list)
    casts: list[Cast] = field(default_factory=list)

    def run(
        self,
        source: str,
        *args: Any,
        modules: Sequence[str] = (),
        method: str = "main",
        messages: Sequence[Message] = (),
        name: str = "case",
    ) -> Any:
        """Run one function to its end and return its value; raise its error."""
        named = [each for each in modules if not self.library.get(each).ambient]
        data = {"source": source, "method": method, "modules": named, "imports": {"check": CHECK.id}}
        program = link(Source("case:main", data, source_name=name), lambda _: CHECK, self.library)
        info = {"id": "case:main", "pid": "{case|1}", "host": "case:host"}
        machine = Machine(self.library, clock=self.clock)
        pending: list[Input] = [Spawn("task", program, args, self.values, info), *messages]
        for _ in range(MAX_STEPS):
            outputs, due = machine.step(pending)
            pending = []
            for output in outputs:
                if isinstance(output, Exited):
                    if output.error:
                        raise output.error
                    return output.value
                if isinstance(output, Cast):
                    self.casts.append(output)
                else:
                    self.commands.append(output)
                    pending.append(self._reply(output))
            if not pending:
                assert due is not None, "the program waits for nothing"
                self.clock.advance_to(due)
        raise AssertionError("the program does not end")

    def _reply(self, command: Command) -> Reply:
        try:
            answer = self.answers[command.name](*command.args)
        except Error as error:
            return Reply(command.task, command.call, (), error)
        return Reply(command.task, command.call, answer if isinstance(answer, tuple) else (answer,))


def run(body: str, module: str, host: ModuleHost, *more: str, **options: Any) -> Any:
    """Run the body of `main` with its module as a local."""
    named = [each for each in (module, *more) if not host.library.get(each).ambient]
    locals_ = "".join(f'local {each} = require("{each}")\n' for each in named)
    source = f"{locals_}return {{ main = function()\n{body}\nend }}"
    return host.run(source, modules=[module, *more], **options)


def given(host: ModuleHost) -> list[tuple[str, list[Any]]]:
    return [(command.name, command.args) for command in host.commands]


def deny(*_: Any) -> Any:
    raise PermissionDenied("not allowed", details={"action": "x"})
