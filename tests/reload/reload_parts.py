"""A project that is followed, a second process that edits it, and what the reloader did to see it by."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from runtime.core.clock import SystemClock
from runtime.core.errors import Invalid
from runtime.core.values import Value
from runtime.journal.memory import MemoryJournal
from runtime.registry.assemble import Tree, assemble
from runtime.registry.entry import Entry
from runtime.registry.registry import Registry
from runtime.registry.snapshot import Snapshot
from runtime.reload.look import Places, take_look
from runtime.reload.reloader import Applied, Reloader
from runtime.reload.watch import Watch

EDITOR = Path(__file__).with_name("reload_editor.py")
DEADLINE = 20.0
SETTLE = 0.05
INDEX = "src/_index.yaml"


def text(value: int, names: str = "ab") -> str:
    """Return a file whose entries all hold `value`."""
    entries = "".join(f"  - {{name: {name}, kind: registry.entry, value: {value}}}\n" for name in names)
    return f"namespace: app\nentries:\n{entries}"


class Followed:
    """The source of a test: a folder of entries, and what was told and recorded."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.registry = Registry(MemoryJournal(), SystemClock())
        self.events: list[tuple[str, dict[str, Value]]] = []
        self.told: list[str] = []
        self.refuse: Callable[[Entry], bool] = lambda _entry: False
        self.registry.check_with(self._check)
        self._changed = asyncio.Event()

    def places(self) -> Places:
        return Places(self.root, (self.root / "src",))

    def read(self) -> list[Entry]:
        return assemble([Tree(self.root / "src", self.root)])

    def apply(self, read: list[Entry]) -> Applied:
        self.registry.load(read)
        report = self.registry.report
        return Applied(
            self.registry.current.version,
            tuple(report.created),
            tuple(report.updated),
            tuple(report.deleted),
        )

    def record(self, type: str, payload: dict[str, Value]) -> None:
        self.events.append((type, payload))
        self._changed.set()

    def value(self, name: str = "a") -> Any:
        entry = self.registry.current.get(f"app:{name}")
        return entry and entry.fields["value"]

    @property
    def types(self) -> list[str]:
        return [type for type, _ in self.events]

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait until `done`, asked after each recorded event."""
        async with asyncio.timeout(DEADLINE):
            while not done():
                self._changed.clear()
                await self._changed.wait()

    def _check(self, entry: Entry, _view: Snapshot) -> None:
        if self.refuse(entry):
            raise Invalid(f"`{entry.id}` is refused")


class Editor:
    """The second process."""

    def __init__(self, process: asyncio.subprocess.Process, root: Path) -> None:
        self._process = process
        self._root = root

    async def save(self, way: str, content: str, path: str = INDEX) -> None:
        request = {"way": way, "path": str(self._root / path), "text": content}
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        async with asyncio.timeout(DEADLINE):
            assert await self._process.stdout.readline() == b"saved\n"


@asynccontextmanager
async def editor(root: Path) -> AsyncIterator[Editor]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, str(EDITOR), stdin=pipe, stdout=pipe)
    try:
        yield Editor(process, root)
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def following(
    root: Path, *, watch: Callable[[Callable[[], None]], Watch] = Watch, settle: float = SETTLE
) -> AsyncIterator[Followed]:
    """Load the project in `root` and follow it."""
    source = Followed(root)
    seen = take_look(source.places())
    source.apply(source.read())
    reloader = Reloader(
        source,
        settle=settle,
        seen=seen,
        record=source.record,
        tell=source.told.append,
        watch=watch,
    )
    task = asyncio.create_task(reloader.run())
    try:
        async with asyncio.timeout(DEADLINE):
            await reloader.following.wait()
        yield source
    finally:
        assert not task.done(), task.exception()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def project(root: Path, value: int = 1) -> Path:
    (root / "src").mkdir(parents=True)
    (root / INDEX).write_text(text(value))
    return root
