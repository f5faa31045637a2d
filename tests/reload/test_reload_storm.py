"""A storm of edits by a second process while calls run: no version is ever wrong, missing or mixed.

`RUNTIME_STORM` is how many edits there are; a small share by default.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from reload_parts import Followed, following
from storm_editor import NAMES, Editor

from runtime.lua.dispatch import Dispatcher
from runtime.lua.library import Library
from runtime.lua.program import link
from runtime.lua.thread import LuaThread
from runtime.process.task import Start
from runtime.process.tasks import Tasks
from runtime.registry.snapshot import Snapshot

EDITOR = Path(__file__).with_name("storm_editor.py")
EDITS = int(os.environ.get("RUNTIME_STORM", "0")) or 40
SETTLE = 0.01
HOST = "app:host"


def source_value(view: Snapshot, name: str) -> int:
    """Return what the tool `name` of `view` returns, by the text of its source."""
    return int(str(view.require(f"app.{name}:tool").fields["source"]).split()[3])


def values(view: Snapshot) -> set[object]:
    """Return what the entries of one view say, of the text of their sources too."""
    found: set[object] = {source_value(view, name) for name in NAMES}
    for name in NAMES:
        found |= {view.require(f"app.{name}:{part}").fields["value"] for part in ("one", "two")}
    return found


def fault(view: Snapshot) -> str | None:
    """Return what is wrong with a view: a missing entry, or two that one file never held together."""
    for name in NAMES:
        held = {entry.name: entry.fields.get("value") for entry in view.namespace(f"app.{name}")}
        if sorted(held) != ["one", "tool", "two"] or held["one"] != held["two"]:
            return f"v{view.version}: {held}"
    return None


@pytest.mark.timeout(max(120, EDITS))
def test_no_version_is_ever_wrong_missing_or_mixed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    Editor(tmp_path / "src", 0).whole()

    async def scenario() -> None:
        async with following(tmp_path, settle=SETTLE) as source:
            library = Library.discover()
            tasks = Tasks(Dispatcher(), lambda name, deliver: LuaThread(name, library, deliver))
            tasks.open_host(HOST)
            seen: list[str] = []
            source.registry.subscribe(lambda change: seen.extend(filter(None, [fault(change.after)])))
            caller = asyncio.create_task(_calls(source, tasks, library, seen))
            try:
                await _edit(tmp_path / "src", source)
            finally:
                caller.cancel()
                await asyncio.gather(caller, return_exceptions=True)
                await tasks.close()
            assert seen == []

    asyncio.run(scenario())


async def _calls(source: Followed, tasks: Tasks, library: Library, seen: list[str]) -> None:
    """Call the tools of one view all the time: what each returns is what its view says."""
    while True:
        view = source.registry.current
        expected = [source_value(view, name) for name in NAMES]
        programs = [link(view.require(f"app.{name}:tool"), view.get, library) for name in NAMES]
        running = [tasks.spawn(program, (), host=HOST, start=Start()) for program in programs]
        returned = [await tasks.wait(each) for each in running]
        if returned != expected:
            seen.append(f"v{view.version} says {expected}, calls returned {returned}")


async def _edit(folder: Path, source: Followed) -> None:
    """Let the second process edit; after each edit that leaves the files whole they must come into force."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EDITOR), str(folder), "7", str(EDITS), stdin=pipe, stdout=pipe
    )
    assert process.stdin and process.stdout
    try:
        while line := await process.stdout.readline():
            edit = json.loads(line)
            if edit.get("broken"):
                held = source.registry.current.version
                await source.until(lambda: source.types[-1:] == ["reload.rejected"])
                assert source.registry.current.version == held
            else:
                await source.until(lambda edit=edit: values(source.registry.current) == {edit["value"]})  # type: ignore[misc]
            process.stdin.write(b"\n")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
